//! `surface`: which tools running clients are shown.

use sdl_client::CallOptions;
use serde_json::json;

use crate::cli::Surface;
use crate::output::{self, Failure, Outcome};
use crate::session::Session;

pub(crate) fn run_surface(surface: Surface, as_json: bool) -> Result<Outcome, Failure> {
    let params = json!({ "name": surface.name() });
    let answer =
        Session::existing()?.call_with("surface/set-all", &params, CallOptions::mutation(), |_| {})?;
    if as_json {
        output::print_json(&answer);
    } else {
        output::print_line(&format!(
            "{} of {} running clients changed to {}; new ones start with what their own configuration says",
            answer["changed"],
            answer["clients"],
            surface.name()
        ));
    }
    Ok(Outcome::Good)
}
