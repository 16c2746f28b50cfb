//! Bash, and the settings that say how modules are found.

use crate::lang::traits::{Calls, Family, Files, Library, Members, Names, Traits, Types, Uses};

pub(in crate::lang) const BASH: Traits = Traits {
    name: "bash",
    family: Family::Deep("bash"),
    measured_as: None,
    files: Files {
        extensions: &["bash", "bats", "ksh", "sh", "zsh"],
        names: &[
            ".bash_aliases",
            ".bash_login",
            ".bash_logout",
            ".bash_profile",
            ".bashrc",
            ".profile",
            ".zshrc",
            "PKGBUILD",
        ],
        interpreters: &["bash", "dash", "ksh", "sh", "zsh"],
        ..Files::PLAIN
    },
    names: Names { shared_by_include: true, ..Names::PLAIN },
    types: Types::PLAIN,
    members: Members::PLAIN,
    calls: Calls::PLAIN,
    stdlib: Library::PLAIN,
    uses: Uses::PLAIN,
};

pub(in crate::lang) const MANIFEST: Traits = Traits {
    name: "manifest",
    family: Family::Manifest,
    measured_as: None,
    files: Files {
        names: &[
            "Cargo.toml",
            "build.gradle",
            "build.gradle.kts",
            "composer.json",
            "dev-requirements.txt",
            "go.mod",
            "jsconfig.json",
            "libs.versions.toml",
            "package.json",
            "pom.xml",
            "pyproject.toml",
            "requirements-dev.txt",
            "requirements.txt",
            "settings.gradle",
            "settings.gradle.kts",
            "setup.cfg",
            "test-requirements.txt",
            "tsconfig.json",
        ],
        ..Files::PLAIN
    },
    names: Names::PLAIN,
    types: Types::PLAIN,
    members: Members::PLAIN,
    calls: Calls::PLAIN,
    stdlib: Library::PLAIN,
    uses: Uses::PLAIN,
};
