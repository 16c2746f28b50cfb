//! Files that state how modules are found: `package.json`, `tsconfig.json`, `composer.json`, `Cargo.toml`,
//! `pyproject.toml`, `setup.cfg`, `requirements.txt`, `go.mod`, `pom.xml`, `.csproj`, the builds and catalogs of Gradle.
//! Those that are programs of an indexed language, such as `setup.py` and gemspecs, are read with that language.
//!
//! Facts depend on the bytes alone, so the kind of manifest must be recognised by its content. None has symbols; their
//! settings become [`Manifest`](sdl_model::facts::Manifest) entries, in the file's order:
//!
//! * `package.json`: `main`, `module`, `types`, `source` and the like; `exports:./x`, `imports:#x`, one entry for each
//!   condition's target; `workspaces`, one for each pattern;
//! * `tsconfig.json`: `extends`, `baseUrl`, `rootDir`, `outDir`, `paths:@app/*`, one for each target; `references`;
//! * `Cargo.toml`: `lib.name`, `lib.path`, `workspace.members`, `path:dep`, `package:dep` (its real name), `bin:name`,
//!   `feature`, one for each that is on by default;
//! * `pyproject.toml`, `setup.cfg`: `package-dir:pkg`, `where`, `packages`;
//! * `go.mod`: `replace:old`, `require`;
//! * `composer.json`: `psr-4:Prefix\`, `psr-0:Prefix\`, `classmap`, `files`;
//! * all that state them: `version`, the package's own, and `asks:dependency`, the version asked for of each other
//!   (`workspace.version` in a workspace of Cargo);
//! * `pom.xml`: `group`, `module`, `dependency` (`group:artifact`);
//! * Gradle: `group`, `include`, `dependency`, `alias` for one of the catalog, `open` for one that is not written out;
//! * catalogs of Gradle: `library:alias` (`group:artifact`), `asks:@alias`, `bundle:name`, one for each alias in it;
//! * `.csproj`: `dependency`, `project`.

mod catalog;
mod go_mod;
mod gradle;
mod json;
pub(crate) mod requirement;
mod toml;
mod xml;

use sdl_model::Lang;
use sdl_model::facts::Facts;

use crate::builder::{Found, bare_with};

/// A manifest larger than this is not read.
const MAX_BYTES: usize = 1 << 20;

/// The facts of the manifest `bytes`. One that can't be read yields just the module.
pub(crate) fn extract_facts(bytes: &[u8]) -> Facts {
    let found =
        std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES).and_then(read_manifest);
    bare_with(Lang::Manifest, bytes, found)
}

fn read_manifest(text: &str) -> Option<Found> {
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().chars().next()? {
        '{' | '/' if json::is_json(text) => json::read_json(text),
        '<' if xml::is_xml(text) => xml::read_xml(text),
        _ if go_mod::is_go_mod(text) => Some(go_mod::read_go_mod(text)),
        _ if gradle::is_gradle(text) => Some(gradle::read_gradle(text)),
        _ if catalog::is_catalog(text) => Some(catalog::read_catalog(text)),
        _ => toml::read_toml(text).or_else(|| requirement::read_requirements(text)),
    }
}

#[cfg(test)]
mod tests {
    use sdl_model::facts::{Manifest, ManifestKind};

    use super::*;

    fn entries(text: &str) -> (ManifestKind, Option<String>, Vec<String>) {
        let found = read_manifest(text).expect("a manifest");
        let entries = found.entries.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
        (found.kind, found.name, entries)
    }

    #[test]
    fn package_json() {
        let (kind, name, entries) = entries(
            r##"{ "name": "@a/b", "main": "./lib/x.js", "workspaces": ["packages/*"],
                "exports": { ".": { "import": "./x.mjs", "require": ["./x.cjs"] }, "./sub/*": "./sub/*.js" },
                "imports": { "#y": "./y.js" }, "dependencies": { "c": "^1" } }"##,
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::PackageJson, Some("@a/b")));
        assert_eq!(
            entries,
            [
                "main = ./lib/x.js",
                "workspaces = packages/*",
                "exports:. = ./x.mjs",
                "exports:. = ./x.cjs",
                "exports:./sub/* = ./sub/*.js",
                "imports:#y = ./y.js",
                "asks:c = ^1"
            ]
        );
        assert_eq!(
            self::entries(r#"{ "name": "a", "exports": { "import": "./i.js" } }"#).2,
            ["exports:. = ./i.js"]
        );
    }

    #[test]
    fn tsconfig_with_comments() {
        let (kind, name, entries) = entries(
            "// base\n{ /* a */ \"extends\": \"./base.json\", // b\n \"compilerOptions\": { \"baseUrl\": \".\",\n\
             \"paths\": { \"@app/*\": [\"src/*\", \"gen/*\"], \"//x\": [\"y\"], }, }, }",
        );
        assert_eq!((kind, name), (ManifestKind::TsConfig, None));
        assert_eq!(
            entries,
            [
                "extends = ./base.json",
                "baseUrl = .",
                "paths:@app/* = src/*",
                "paths:@app/* = gen/*",
                "paths://x = y"
            ]
        );
    }

    #[test]
    fn composer() {
        let (kind, name, entries) = entries(
            r#"{ "name": "v/p", "require": {}, "autoload": { "psr-4": { "A\\": ["src/", "lib"], "B\\": "b" } } }"#,
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::Composer, Some("v/p")));
        assert_eq!(entries, ["psr-4:A\\ = src/", "psr-4:A\\ = lib", "psr-4:B\\ = b"]);
    }

    #[test]
    fn maven() {
        let (kind, name, entries) = entries(
            "<?xml version=\"1.0\"?>\n<!-- <project> --><project xmlns=\"x\"><parent><groupId>org.acme</groupId>\
             <artifactId>all</artifactId></parent><artifactId>app</artifactId><modules><module>core</module></modules>\
             <dependencyManagement><dependencies><dependency><groupId>m</groupId></dependency></dependencies>\
             </dependencyManagement><dependencies><dependency><groupId>${project.groupId}</groupId>\
             <artifactId>core</artifactId><exclusions/></dependency><dependency><groupId>${g}</groupId>\
             <artifactId>x</artifactId></dependency></dependencies></project>",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::Maven, Some("app")));
        assert_eq!(
            entries,
            ["group = org.acme", "module = core", "dependency = org.acme:core", "dependency = ?:x"]
        );
    }

    #[test]
    fn gradle() {
        let (kind, name, entries) = entries(
            "plugins {\n  id 'java'\n}\ngroup = 'org.acme' // ours\nallprojects {\n  version = '1'\n}\n\
             dependencies {\n  implementation 'org.lib:core:1.2'\n  api(project(':x'))\n  // api 'no:no:1'\n  \
             testImplementation group: 'org.t', name: \"t\", version: '1'\n  api(libs.other)\n  api(ours.other)\n}\nrun { main = 'a:b' }\n",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::Gradle, None));
        assert_eq!(
            entries,
            [
                "group = org.acme",
                "version = 1",
                "dependency = org.lib:core",
                "asks:org.lib:core = 1.2",
                "dependency = org.t:t",
                "asks:org.t:t = 1",
                "alias = other",
                "open = api"
            ]
        );
        let (kind, name, entries) =
            self::entries("rootProject.name = \"shop\"\ninclude(\":core\", \":web\")\n");
        assert_eq!((kind, name.as_deref()), (ManifestKind::Gradle, Some("shop")));
        assert_eq!(entries, ["include = :core", "include = :web"]);
    }

    #[test]
    fn msbuild() {
        let (kind, name, entries) = entries(
            "<Project Sdk=\"Microsoft.NET.Sdk\">\n<PropertyGroup><AssemblyName>Acme.App</AssemblyName></PropertyGroup>\n\
             <ItemGroup><PackageReference Include=\"Acme.Core\" Version=\"1\" />\n\
             <ProjectReference Include=\"..\\Core\\Core.csproj\" /></ItemGroup></Project>",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::MsBuild, Some("Acme.App")));
        assert_eq!(
            entries,
            ["asks:Acme.Core = 1", "dependency = Acme.Core", "project = ../Core/Core.csproj"]
        );
    }

    #[test]
    fn cargo() {
        let (kind, name, entries) = entries(
            "[package]\nname = \"sdl-x\" # the name\nversion.workspace = true\n\n[lib]\nname = 'other'\npath = \"l.rs\"\n\
             [[bin]]\nname = \"run\"\npath = \"src/run.rs\"\n[dependencies]\na = { path = \"../a\", package = \"b\" }\n\
             c = \"1\"\n[dependencies.d]\npath = \"../d\"\n[workspace]\nmembers = [\n  \"x\", # one\n  \"y/*\",\n]\n\
             [features]\ndefault = [\"full\"]\nfull = [\"std\", \"dep:c\", \"d/std\", \"full\"]\nstd = []\nrare = []\n",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::Cargo, Some("sdl-x")));
        assert_eq!(
            entries,
            [
                "feature = full",
                "feature = std",
                "lib.name = other",
                "lib.path = l.rs",
                "bin:run = src/run.rs",
                "path:a = ../a",
                "package:a = b",
                "asks:c = 1",
                "path:d = ../d",
                "workspace.members = x",
                "workspace.members = y/*"
            ]
        );
    }

    #[test]
    fn python() {
        let (kind, name, entries) = entries(
            "[project]\nname = \"p\"\n[tool.setuptools.packages.find]\nwhere = [\"src\"]\n\
             [tool.setuptools.package-dir]\n\"\" = \"lib\"\n",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::PyProject, Some("p")));
        assert_eq!(entries, ["where = src", "package-dir: = lib"]);
        let (kind, name, entries) = self::entries(
            "[metadata]\nname = q\n[options]\npackage_dir =\n    = src\npackages = find:\n[options.packages.find]\nwhere = src\n",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::PyProject, Some("q")));
        assert_eq!(entries, ["package-dir: = src", "where = src"]);
    }

    #[test]
    fn go() {
        let (kind, name, entries) = entries(
            "// comment\nmodule example.com/a/v2 // why\n\ngo 1.22\nrequire x.y/z v1\nrequire (\n\tb.c/d v1.2 // indirect\n)\n\
             replace b.c/d v1.2 => ../d\n",
        );
        assert_eq!((kind, name.as_deref()), (ManifestKind::GoMod, Some("example.com/a/v2")));
        assert_eq!(
            entries,
            [
                "go = 1.22",
                "require = x.y/z",
                "asks:x.y/z = v1",
                "require = b.c/d",
                "asks:b.c/d = v1.2",
                "replace:b.c/d = ../d"
            ]
        );
    }

    /// The entries that state versions.
    fn versions(text: &str) -> Vec<String> {
        let states = |entry: &String| Manifest::states_version(entry.split(" = ").next().unwrap_or(""));
        entries(text).2.into_iter().filter(states).collect()
    }

    #[test]
    fn versions_of_python() {
        let found = versions(
            "[project]\nname = \"p\"\nversion = \"1.4\"\ndependencies = [\n  \"Werkzeug >= 3.1, < 4\", # why\n  \"click\",\n\
             \"a.b[x, y]~=2.0; python_version > '3'\",\n]\n[dependency-groups]\ndev = [\"pytest==8\"]\n\
             [tool.poetry.group.x.dependencies]\nq = \"^1\"\nr = { version = \"^2\", extras = [\"z\"] }\n",
        );
        assert_eq!(
            found,
            [
                "version = 1.4",
                "asks:Werkzeug = >= 3.1, < 4",
                "asks:a.b = ~=2.0",
                "asks:pytest = ==8",
                "asks:q = ^1",
                "asks:r = ^2"
            ]
        );
        let dynamic = "[metadata]\nname = q\nversion = attr: q.VERSION\n[options]\ninstall_requires =\n    w>=1\n    v\n";
        assert_eq!(versions(dynamic), ["asks:w = >=1"]);
    }

    #[test]
    fn versions_of_node_php_and_rust() {
        assert_eq!(
            versions(r#"{ "name": "a", "version": "2.0.1", "peerDependencies": { "@b/c": ">=1" } }"#),
            ["version = 2.0.1", "asks:@b/c = >=1"]
        );
        assert_eq!(
            versions(r#"{ "name": "v/p", "version": "1.1", "require": { "v/q": "^2" }, "autoload": {} }"#),
            ["version = 1.1", "asks:v/q = ^2"]
        );
        assert_eq!(
            versions(
                "[package]\nname = \"a\"\nversion.workspace = true\n[dependencies]\nb = { workspace = true }\n\
                 c = { git = \"x\", version = \"1\" }\n[dependencies.d]\nversion = \"3\"\n\
                 [workspace.package]\nversion = \"0.9\"\n[workspace.dependencies]\nb = \"=2\"\n"
            ),
            ["asks:c = 1", "asks:d = 3", "workspace.version = 0.9", "asks:b = =2"]
        );
    }

    #[test]
    fn versions_of_maven() {
        let found = versions(
            "<project><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version><properties><v>3</v></properties>\
             <dependencyManagement><dependencies><dependency><groupId>x</groupId><artifactId>m</artifactId>\
             <version>9</version></dependency></dependencies></dependencyManagement><dependencies>\
             <dependency><groupId>${project.groupId}</groupId><artifactId>b</artifactId>\
             <version>${project.version}</version></dependency>\
             <dependency><groupId>x</groupId><artifactId>m</artifactId></dependency>\
             <dependency><groupId>x</groupId><artifactId>n</artifactId><version>${elsewhere}</version></dependency>\
             </dependencies></project>",
        );
        assert_eq!(found, ["version = 3", "asks:g:b = 3", "asks:x:m = 9"]);
    }

    #[test]
    fn versions_of_dotnet() {
        let found = versions(
            "<Project><PropertyGroup><Version>1.2.3</Version></PropertyGroup><ItemGroup>\
             <PackageReference Include=\"A\"><Version>4</Version></PackageReference>\
             <PackageReference Include=\"B\" Version=\"$(BVersion)\" /></ItemGroup></Project>",
        );
        assert_eq!(found, ["version = 1.2.3", "asks:A = 4"]);
    }

    #[test]
    fn what_is_no_manifest() {
        for text in ["", "{", "[1]", "hello", "{\"a\": ", "x = [\n", "[[[[", "\"\"\"", "{ // \n"] {
            let _ = extract_facts(text.as_bytes());
        }
        assert!(extract_facts(b"\xff").outline.manifest.is_none());
    }
}
