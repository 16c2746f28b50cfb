//! The extractor's state between nodes.

/// The facts known about the file.
#[derive(Debug, Default)]
pub struct State {
    /// Whether it declares several namespaces; each is then a definition.
    pub(super) many: bool,
}
