//! The lines of a text, and how many of them an answer has room for.

use sdl_model::facts::{Def, DefIx};

use crate::call::budget;
use crate::source::text::SourceText;
use crate::{Explained, ToolError};

/// Longer lines are cut, because one alone could fill an answer.
const LONGEST: usize = 1_000;

/// Returns the first and the last line of a definition, or of the file.
pub(crate) fn span_lines(text: &SourceText, def: &Def, ix: DefIx) -> (u32, u32) {
    if ix == DefIx::MODULE {
        return (1, text.lines().max(1));
    }
    (text.line_of(def.span.start as usize), text.line_of((def.span.end as usize).saturating_sub(1)))
}

/// Cuts a line that is too long for an answer.
pub(crate) fn shorten_line(line: &str) -> String {
    if line.len() <= LONGEST {
        return line.to_owned();
    }
    format!("{} {}", line.get(..line.floor_char_boundary(LONGEST)).unwrap_or_default(), super::GAP)
}

/// Returns the most of `len` lines with which an answer costs at most `most` tokens. An error if not even one fits.
pub(crate) fn fitting_lines(
    len: usize,
    most: usize,
    mut cost: impl FnMut(usize) -> Result<usize, ToolError>,
) -> Result<usize, ToolError> {
    let least = len.min(1);
    let fitting = budget::most_fitting(len - least, |more| Ok(cost(least + more)? <= most))?;
    let Some(more) = fitting else {
        let needed = cost(least)?;
        let message = format!("an answer to this request takes at least {needed} tokens; allow that many");
        return Err(ToolError::invalid("maxTokens", message).with("needed", needed));
    };
    Ok(least + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_lines_that_fit() {
        for (len, most, wanted) in
            [(0, 5, Some(0)), (3, 100, Some(3)), (100, 25, Some(4)), (100, 10, Some(1)), (100, 9, None)]
        {
            assert_eq!(fitting_lines(len, most, |n| Ok(5 + n * 5)).ok(), wanted, "{len} {most}");
        }
        assert!(shorten_line(&"ä".repeat(5_000)).len() < 1_020);
    }
}
