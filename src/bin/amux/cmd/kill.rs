//! `amux kill`

use crate::args::{Kill, Place};
use crate::cmd::{Result, window};

pub async fn kill(place: &Place, args: Kill) -> Result {
    window(place, &args.window).await?.kill().await?;
    Ok(0)
}
