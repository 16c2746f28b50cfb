//! Build, quickstart and test commands.
fn main() {}
