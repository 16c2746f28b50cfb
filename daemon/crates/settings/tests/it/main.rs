//! Tests of the settings as others use them.

mod parsing;
