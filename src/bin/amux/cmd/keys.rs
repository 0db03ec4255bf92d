//! `amux keys`

use amux::Key;

use crate::args::{Keys, Place};
use crate::cmd::{Result, window};

pub async fn keys(place: &Place, args: Keys) -> Result {
    let keys = args
        .keys
        .iter()
        .map(|name| Key::new(name))
        .collect::<amux::Result<Vec<_>>>()?;
    window(place, &args.window).await?.keys(&keys).await?;
    Ok(0)
}
