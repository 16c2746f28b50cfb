//! The arguments that leave symbols and edges out.

use sdl_navigate::Filter;
use sdl_retrieve::search::PathPatterns;
use sdl_retrieve::{Error, UserError};

use crate::parts::params::confidence_percent;
use crate::{Explained, ToolError};

/// Returns the filter that these arguments describe.
pub(crate) fn read_filter(
    include_tests: Option<bool>,
    min_confidence: Option<f64>,
    paths: &[String],
) -> Result<Filter, ToolError> {
    let paths = PathPatterns::new(paths.iter().map(String::as_str)).map_err(|error| match error {
        Error::User(UserError::BadGlob(why)) => {
            ToolError::invalid("paths", format!("paths has a pattern that is not usable: {why}"))
        }
        error => error.into(),
    })?;
    Ok(Filter {
        include_tests: include_tests.unwrap_or(true),
        min_confidence: confidence_percent(min_confidence, 0),
        paths,
    })
}
