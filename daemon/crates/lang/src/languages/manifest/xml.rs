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

/// One dependency: its coordinate and version, as far as they are written out.
struct Dependency {
    group: String,
    artifact: String,
    version: Option<String>,
    /// Whether it only says which version others get that depend on it.
    is_managed: bool,
}

/// `name = artifactId`, `group`, `version`, and `dependency`, one for each. A group or name that properties state is
/// `?`. A version is in `asks:group:artifact`; those of `dependencyManagement` come last.
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
    let own = text_at(elements, "project/version").or_else(|| text_at(elements, "project/parent/version"));
    let own = own.and_then(|version| written_version(elements, version, None));
    if let Some(own) = &own {
        found.add("version", own);
    }
    let mut dependencies: Vec<Dependency> = Vec::new();
    for element in elements {
        let Some(path) = element.path.strip_prefix("project/") else { continue };
        if path == "modules/module" {
            found.add("module", element.text);
        }
        let managed = path.strip_prefix("dependencyManagement/");
        let Some(path) = managed.unwrap_or(path).strip_prefix("dependencies/dependency") else { continue };
        if path.is_empty() {
            let [group, artifact] = ["?", "?"].map(str::to_owned);
            dependencies.push(Dependency { group, artifact, version: None, is_managed: managed.is_some() });
        }
        let Some(last) = dependencies.last_mut() else { continue };
        match path {
            "/groupId" => last.group = known(element.text),
            "/artifactId" => last.artifact = known(element.text),
            "/version" => last.version = written_version(elements, element.text, own.as_deref()),
            _ => {}
        }
    }
    for one in dependencies.iter().filter(|one| !one.is_managed) {
        found.add("dependency", &format!("{}:{}", one.group, one.artifact));
    }
    dependencies.sort_by_key(|one| one.is_managed);
    for one in dependencies {
        if let Some(version) = one.version {
            found.add(format!("asks:{}:{}", one.group, one.artifact), &version);
        }
    }
    found
}

/// A version, or the value of the property of this file that it is.
fn written_version(elements: &[Element<'_>], text: &str, own: Option<&str>) -> Option<String> {
    let version = match text.strip_prefix("${").and_then(|text| text.strip_suffix('}')) {
        Some("project.version" | "pom.version" | "version") => own?,
        Some(property) => text_at(elements, &format!("project/properties/{property}"))?,
        None => text,
    };
    Some(version.to_owned()).filter(|version| !version.is_empty() && !version.contains("${"))
}

/// `name = PackageId` or `AssemblyName`, `version`, `asks:package`, `dependency` for each package, `project` for each project of the solution.
fn read_msbuild(elements: &[Element<'_>]) -> Found {
    let mut found = Found::new(ManifestKind::MsBuild);
    let of = |name: &str| text_at(elements, &format!("Project/PropertyGroup/{name}"));
    let name = of("PackageId").or_else(|| of("AssemblyName")).filter(|name| !name.contains("$("));
    found.name = name.map(str::to_owned);
    if let Some(version) = of("Version").or_else(|| of("VersionPrefix")).filter(|text| !text.contains("$(")) {
        found.add("version", version);
    }
    let mut package = "";
    for element in elements {
        if element.path == "Project/ItemGroup/PackageReference" {
            package = attribute(element.attributes, "Include").unwrap_or("");
        }
        let version = match element.path.as_str() {
            "Project/ItemGroup/PackageReference" => attribute(element.attributes, "Version"),
            "Project/ItemGroup/PackageReference/Version" => Some(element.text),
            _ => None,
        };
        if let Some(version) = version.filter(|version| !package.is_empty() && !version.contains("$(")) {
            found.add(format!("asks:{package}"), version);
        }
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
