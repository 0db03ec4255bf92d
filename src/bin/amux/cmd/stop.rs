//! `amux stop`

use amux::{ErrorKind, Stopped};

use crate::args::Place;
use crate::cmd::{Result, builder};
use crate::output;
use crate::progress::Progress;

pub async fn stop(place: &Place) -> Result {
    let progress = Progress::start("the server to stop".to_owned());
    let stopped = match builder(place)?.connect().await {
        Ok(server) => server.stop().await,
        Err(error) => Err(error),
    };
    drop(progress);
    match stopped {
        Ok(Stopped::Asked) => {}
        Ok(Stopped::Terminated) => output::complain("the server did not answer: sent SIGTERM"),
        Ok(_) => output::complain("the server did not answer: sent SIGKILL"),
        // What was wanted is so.
        Err(error) if *error.kind() == ErrorKind::NoServer => {}
        Err(error) => return Err(error.into()),
    }
    Ok(0)
}
