//! Catalogs of Gradle: what the aliases mean by which builds name dependencies.

use std::collections::HashMap;

/// Where a catalog is, seen from the folder of its build.
pub(super) const CATALOG: &str = "gradle/libs.versions.toml";

/// One library of a catalog: its coordinate, and the version if it states one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Library {
    pub(super) coordinate: String,
    pub(super) version: Option<String>,
}

/// What a catalog lists.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    libraries: HashMap<String, Library>,
    bundles: HashMap<String, Vec<String>>,
}

impl Catalog {
    /// Reads the entries of its manifest.
    pub(super) fn of(entries: &[(String, String)]) -> Self {
        let mut catalog = Self::default();
        for (key, value) in entries {
            if let Some(alias) = key.strip_prefix("library:") {
                catalog.libraries.entry(alias.to_owned()).or_default().coordinate.clone_from(value);
            } else if let Some(alias) = key.strip_prefix("asks:@") {
                catalog.libraries.entry(alias.to_owned()).or_default().version = Some(value.clone());
            } else if let Some(bundle) = key.strip_prefix("bundle:") {
                catalog.bundles.entry(bundle.to_owned()).or_default().push(value.clone());
            }
        }
        catalog
    }

    /// The libraries that `alias` names: one, or all of a bundle. None if the catalog lacks one of them.
    pub(super) fn libraries_of(&self, alias: &str) -> Option<Vec<&Library>> {
        match alias.strip_prefix("bundles.") {
            Some(bundle) => self.bundles.get(bundle)?.iter().map(|alias| self.libraries.get(alias)).collect(),
            None => self.libraries.get(alias).map(|one| vec![one]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_names_one_library_and_a_bundle_several() {
        let entries = [
            ("library:cart", "com.shop:cart"),
            ("asks:@cart", "1.2"),
            ("library:base.core", "com.shop:base"),
            ("bundle:shop", "cart"),
            ("bundle:shop", "base.core"),
            ("bundle:torn", "cart"),
            ("bundle:torn", "missing"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let catalog = Catalog::of(&entries);
        let named = |alias| {
            let found = catalog.libraries_of(alias)?.into_iter();
            Some(found.map(|one| format!("{} {:?}", one.coordinate, one.version)).collect::<Vec<_>>())
        };
        assert_eq!(named("base.core").unwrap(), ["com.shop:base None"]);
        assert_eq!(named("bundles.shop").unwrap(), ["com.shop:cart Some(\"1.2\")", "com.shop:base None"]);
        assert_eq!([named("base"), named("bundles.torn"), named("bundles.none")], [None, None, None]);
    }
}
