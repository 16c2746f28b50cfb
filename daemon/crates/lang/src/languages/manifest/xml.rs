//! `pom.xml` and `.csproj`: the parts of XML that these need.

use sdl_model::facts::ManifestKind;

use crate::builder::Found;

/// How deep elements may nest; deeper ones are not looked at.
const MAX_DEPTH: usize = 64;

/// Whether `text` begins with an element, a declaration or a comment.
pub(super) fn is_xml(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

pub(super) fn read_xml(text: &str) -> Option<Found> {
    let elements = read_elements(text);
    match elements.first()?.path.as_str() {
        "project" => Some(read_pom(&elements)),
        "Project" => Some(read_msbuild(&elements)),
        _ => None,
    }
}

/// One element, with the names of those around it: `project/parent/groupId`.
#[derive(Default)]
struct Element<'t> {
    path: String,
    /// The tag between its name and `>`.
    attributes: &'t str,
    /// The text directly after the tag.
    text: &'t str,
}

/// Every element, in the order of the text.
fn read_elements(text: &str) -> Vec<Element<'_>> {
    let mut elements = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = rest.get(at..).unwrap_or("");
        let (end, length) = match rest {
            _ if rest.starts_with("<!--") => ("-->", 3),
            _ if rest.starts_with("<![CDATA[") => ("]]>", 3),
            _ => (">", 1),
        };
        let Some(stop) = rest.find(end) else { break };
        let tag = rest.get(1..stop).unwrap_or("");
        rest = rest.get(stop + length..).unwrap_or("");
        if tag.starts_with(['!', '?']) {
            continue;
        }
        if tag.starts_with('/') {
            open.pop();
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        open.push(name);
        if open.len() <= MAX_DEPTH {
            let text = if is_empty { "" } else { rest.split('<').next().unwrap_or("").trim() };
            elements.push(Element { path: open.join("/"), attributes, text });
        }
        if is_empty {
            open.pop();
        }
    }
    elements
}

/// The text of the first element at a path.
fn text_at<'t>(elements: &[Element<'t>], path: &str) -> Option<&'t str> {
    elements
        .iter()
        .find(|element| element.path == path)
        .map(|element| element.text)
        .filter(|text| !text.is_empty())
}

/// `name = artifactId`, `group`, and `dependency`, one for each. A group or name that properties state is `?`.
fn read_pom(elements: &[Element<'_>]) -> Found {
    let mut found = Found::new(ManifestKind::Maven);
    found.name = text_at(elements, "project/artifactId").map(str::to_owned);
    let group = text_at(elements, "project/groupId").or_else(|| text_at(elements, "project/parent/groupId"));
    let group = group.filter(|group| !group.contains("${"));
    if let Some(group) = group {
        found.add("group", group);
    }
    let known = |text: &str| match text {
        "${project.groupId}" | "${pom.groupId}" | "${groupId}" => group.unwrap_or("?").to_owned(),
        text if text.contains("${") || text.is_empty() => "?".to_owned(),
        text => text.to_owned(),
    };
    let mut part: Option<(String, String)> = None;
    for element in elements {
        match element.path.strip_prefix("project/") {
            Some("dependencies/dependency") => {
                add_coordinate(&mut found, part.take());
                part = Some(("?".to_owned(), "?".to_owned()));
            }
            Some("dependencies/dependency/groupId") => {
                part = part.map(|(_, artifact)| (known(element.text), artifact));
            }
            Some("dependencies/dependency/artifactId") => {
                part = part.map(|(group, _)| (group, known(element.text)));
            }
            Some("modules/module") => found.add("module", element.text),
            _ => {}
        }
    }
    add_coordinate(&mut found, part);
    found
}

fn add_coordinate(found: &mut Found, coordinate: Option<(String, String)>) {
    if let Some((group, artifact)) = coordinate {
        found.add("dependency", &format!("{group}:{artifact}"));
    }
}

/// `name = PackageId` or `AssemblyName`, `dependency` for each package, `project` for each project of the solution.
fn read_msbuild(elements: &[Element<'_>]) -> Found {
    let mut found = Found::new(ManifestKind::MsBuild);
    let of = |name: &str| text_at(elements, &format!("Project/PropertyGroup/{name}"));
    let name = of("PackageId").or_else(|| of("AssemblyName")).filter(|name| !name.contains("$("));
    found.name = name.map(str::to_owned);
    for element in elements {
        let key = match element.path.as_str() {
            "Project/ItemGroup/PackageReference" => "dependency",
            "Project/ItemGroup/ProjectReference" => "project",
            _ => continue,
        };
        if let Some(value) = attribute(element.attributes, "Include") {
            found.add(key, &value.replace('\\', "/"));
        }
    }
    found
}

/// The value of an attribute in a tag.
fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = attributes;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, left) = after.get(1..)?.split_once(quote)?;
        if key.trim() == name {
            return Some(value);
        }
        rest = left;
    }
    None
}
