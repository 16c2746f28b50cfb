//! `build.gradle`, `settings.gradle` and their forms in Kotlin: the lines that state a build's coordinates. Only
//! coordinates that are written out are known, because these files are programs.

use sdl_model::facts::ManifestKind;

use crate::builder::Found;

/// Words that a build of Gradle has and no other manifest.
const MARKS: [&str; 9] = [
    "plugins {",
    "apply plugin",
    "apply(plugin",
    "dependencies {",
    "repositories {",
    "rootProject.name",
    "allprojects {",
    "subprojects {",
    "pluginManagement {",
];

/// Whether `text` looks like a build of Gradle.
pub(super) fn is_gradle(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.trim().replace('{', " {").replace("  ", " "));
    lines.any(|line| MARKS.iter().any(|mark| line.starts_with(mark)))
        || text
            .lines()
            .any(|line| line.trim_start().starts_with("include") && texts_in(line).next().is_some())
}

/// `name = rootProject.name`, `group`, `version`, `include`, `dependency`, one for each, with `asks:dependency`; `alias` for each that
/// the catalog `libs` names; `open` if the build takes dependencies from where this does not look, such as another catalog.
pub(super) fn read_gradle(text: &str) -> Found {
    let mut found = Found::new(ManifestKind::Gradle);
    // The depth of braces, and those at which a block of dependencies was opened.
    let (mut depth, mut blocks): (usize, Vec<usize>) = (0, Vec::new());
    for line in text.lines().map(without_comment) {
        let words = line.trim();
        let in_dependencies = !blocks.is_empty();
        if words.starts_with("dependencies") && words.ends_with('{') {
            blocks.push(depth);
        } else if let Some(rest) = words.strip_prefix("rootProject.name") {
            found.name = assigned(rest).map(str::to_owned).or(found.name);
        } else if let Some(rest) = words.strip_prefix("group").filter(|rest| rest.starts_with([' ', '='])) {
            if let Some(group) = assigned(rest) {
                found.add("group", group);
            }
        } else if let Some(rest) = words.strip_prefix("version").filter(|rest| rest.starts_with([' ', '='])) {
            // Deeper ones are those of plugins and tasks.
            if let Some(version) = assigned(rest).filter(|_| depth <= 1) {
                found.add("version", version);
            }
        } else if words.starts_with("include") {
            texts_in(words).for_each(|project| found.add("include", project));
        } else if in_dependencies {
            add_dependency(&mut found, words);
        }
        depth += words.matches('{').count();
        depth = depth.saturating_sub(words.matches('}').count());
        blocks.retain(|start| *start < depth);
    }
    found
}

/// `implementation "g:a:v"`, `implementation(group: "g", name: "a")`, `api(project(":core"))`, `api(libs.core)`.
fn add_dependency(found: &mut Found, words: &str) {
    if words.contains("project(") || words.is_empty() || words == "}" {
        return;
    }
    let texts: Vec<&str> = texts_in(words).collect();
    let named = |name: &str| {
        let (_, rest) = words.split_once(name)?;
        rest.trim_start().starts_with([':', '=']).then(|| texts_in(rest).next())?
    };
    if let (Some(group), Some(name)) = (named("group"), named("name")) {
        add_coordinate(found, &format!("{group}:{name}"), named("version"));
        return;
    }
    let coordinate = texts.iter().find_map(|text| {
        let mut parts = text.split(':');
        let (group, name) = (parts.next()?, parts.next()?);
        let is_plain = |part: &str| !part.is_empty() && !part.contains(['$', ' ', '/']);
        (is_plain(group) && is_plain(name)).then(|| (format!("{group}:{name}"), parts.next()))
    });
    match (coordinate, alias_in(words)) {
        (Some((coordinate, version)), _) => add_coordinate(found, &coordinate, version),
        (None, Some(alias)) => found.add("alias", alias),
        (None, None) => found.add("open", words.split([' ', '(']).next().unwrap_or("")),
    }
}

/// The alias of the catalog `libs` that a line names: `cart.core` of `implementation(libs.cart.core)`.
fn alias_in(words: &str) -> Option<&str> {
    let (before, rest) = words.split_once("libs.")?;
    if !before.ends_with([' ', '(']) {
        return None;
    }
    let is_of_alias = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let alias = rest.get(..rest.find(|c| !is_of_alias(c)).unwrap_or(rest.len()))?;
    // A provider is asked for its value in older builds.
    let alias = alias.strip_suffix(".get").unwrap_or(alias);
    (!alias.is_empty() && !alias.ends_with('.')).then_some(alias)
}

fn add_coordinate(found: &mut Found, coordinate: &str, version: Option<&str>) {
    found.add("dependency", coordinate);
    if let Some(version) = version.filter(|version| !version.is_empty() && !version.contains('$')) {
        found.add(format!("asks:{coordinate}"), version);
    }
}

/// The text that is assigned to a name, or given to it as an argument.
fn assigned(rest: &str) -> Option<&str> {
    texts_in(rest).next().filter(|text| !text.contains('$'))
}

/// The texts in quotes of a line.
fn texts_in(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = rest.get(start..)?.chars().next()?;
        let (text, left) = rest.get(start + 1..)?.split_once(quote)?;
        rest = left;
        Some(text)
    })
}

fn without_comment(line: &str) -> &str {
    let line = line.split(" //").next().unwrap_or(line);
    if line.trim_start().starts_with("//") || line.trim_start().starts_with('*') { "" } else { line }
}
