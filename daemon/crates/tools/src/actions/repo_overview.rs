//! `repo.overview`: summarizes a repository.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use sdl_retrieve::card::Clusters;
use serde::{Deserialize, Serialize};

use crate::call::action::{Action, ActionDef, Namespace, ReadAction, Render};
use crate::call::answers::{Truncation, append_text, begin_line};
use crate::call::budget;
use crate::call::context::ReadCx;
use crate::context::overview::{Overview, Scope, Standout, folder_layers, survey_scope};
use crate::{Explained, ToolError};

/// See [`ActionDef`].
pub(crate) struct RepoOverview;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Level {
    /// Totals.
    Stats,
    /// And folders.
    Directories,
    /// Also hotspots, entry points, clusters and layers.
    Full,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// Default directories. `stats`: totals. `directories`: also folders. `full`: also hotspots, entry
    /// points, clusters and layers.
    level: Option<Level>,
    /// Only these. Relative to the root.
    #[serde(default)]
    #[schemars(length(max = 100))]
    directories: Vec<String>,
    /// Default 3000. Tokens of the whole answer.
    #[schemars(range(min = 300, max = 20_000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Response {
    /// Totals of the whole repository.
    stats: Stats,
    /// Folders, two levels deep, most symbols first.
    #[serde(skip_serializing_if = "Option::is_none")]
    directories: Option<Vec<Directory>>,
    /// The symbols that most others depend on.
    #[serde(skip_serializing_if = "Option::is_none")]
    hotspots: Option<Vec<Symbol>>,
    /// Where execution starts: `main` functions, and functions that nothing in the repository calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_points: Option<Vec<Symbol>>,
    /// Groups of files that depend on each other, largest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<Vec<Cluster>>,
    /// Folders in layers by their dependencies, lowest layer first.
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<Layer>>,
    /// What did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stats {
    /// Parsed files.
    files: u64,
    /// Symbols.
    symbols: u64,
    /// Edges between symbols. Missing before the first index is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<u64>,
    /// Files that could not be parsed.
    failed: u64,
    /// Files that were not parsed, by reason.
    skipped: BTreeMap<String, u64>,
    /// Parsed files, by language.
    languages: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Directory {
    /// Path, relative to the root; empty for the root itself.
    path: String,
    /// Parsed files below it.
    files: u64,
    /// Symbols below it.
    symbols: u64,
    /// Symbols that other files can see.
    exported: u64,
    /// Parsed files, by language.
    languages: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Symbol {
    /// Its id.
    #[serde(rename = "symbolId")]
    id: String,
    /// Its qualified name.
    name: String,
    /// Its kind, such as `function`.
    kind: String,
    /// Path of its file.
    file: String,
    /// Its first line.
    line: u32,
    /// Edges that lead to it.
    fan_in: u64,
    /// Edges that lead away from it.
    fan_out: u64,
    /// Commits that touched its file in the last 30 days.
    #[serde(rename = "churn30d", skip_serializing_if = "Option::is_none")]
    churn: Option<u32>,
    /// Why it is listed: `fanIn`, `main` or `uncalled`.
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Cluster {
    /// Its name, as `cluster` of full cards.
    label: String,
    /// Files in it.
    files: u64,
    /// The file that most others in it depend on.
    #[serde(skip_serializing_if = "Option::is_none")]
    hub: Option<String>,
    /// Share of its edges that stay inside, 0 to 1.
    cohesion: f64,
    /// Clusters that it depends on most.
    depends_on: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Layer {
    /// 0 is the lowest.
    level: usize,
    /// Folders in it.
    directories: Vec<String>,
}

impl Action for RepoOverview {
    type Request = Request;
    type Response = Response;
    const USUAL_TOKENS: Option<usize> = Some(MAX_TOKENS);
    const DEF: ActionDef = ActionDef {
        name: "repo.overview",
        namespace: Namespace::Repo,
        mutating: false,
        description: "Call this when a repository is new to you: folders, hotspots, entry points, layers",
        needs: "",
        examples: &[
            r#"{"repoId":"my-repo"}"#,
            r#"{"repoId":"my-repo","level":"full","directories":["src"],"maxTokens":2000}"#,
        ],
        aliases: &[],
    };
}

/// Default tokens of an answer. It is below the usual default, because a first look should cost little.
const MAX_TOKENS: usize = 3_000;

impl ReadAction for RepoOverview {
    const FROM_PART: bool = true;

    fn run(cx: &ReadCx<'_>, request: Request) -> Result<Response, ToolError> {
        let mut level = request.level.unwrap_or(Level::Directories);
        if cx.part.is_some() && level > Level::Directories {
            cx.note("hotspots, entry points, clusters and layers follow once the first index is done");
            level = Level::Directories;
        }
        let counters = cx.source.view().counters()?;
        let mut response = Response {
            stats: Stats {
                files: counters.files,
                symbols: counters.symbols,
                edges: cx.part.is_none().then_some(counters.edges),
                failed: counters.failed,
                skipped: counters.skipped.into_iter().collect(),
                languages: counters.languages.into_iter().collect(),
            },
            directories: None,
            hotspots: None,
            entry_points: None,
            clusters: None,
            layers: None,
            truncation: None,
        };
        if level >= Level::Directories {
            let directories = request.directories.iter().enumerate();
            let directories =
                directories.map(|(i, dir)| resolve_folder(cx, dir, &format!("directories[{i}]")));
            let scope =
                Scope { directories: directories.collect::<Result<_, _>>()?, graph: level == Level::Full };
            let overview = survey_scope(cx, &scope)?;
            if let Some((asked, all)) = overview.share {
                cx.note(format!(
                    "hotspots, entry points and layers are drawn from the edges of {asked} of {all} files, evenly spread; \
                     name directories for exact ones"
                ));
            }
            response.add(cx, &overview, &scope)?;
        }
        if level == Level::Stats && !request.directories.is_empty() {
            cx.note("directories has no effect with level: stats, whose totals are of the whole repository");
        }
        response.fit(cx.around()?, request.max_tokens.unwrap_or(MAX_TOKENS))?;
        Ok(response)
    }
}

/// Returns a folder that contains files of the version.
fn resolve_folder(cx: &ReadCx<'_>, text: &str, field: &str) -> Result<String, ToolError> {
    let trimmed = text.trim_end_matches('/');
    if matches!(trimmed, "" | ".") {
        return Ok(String::new());
    }
    let path = crate::parts::symbols::repo_path(cx.repo, trimmed, field)?;
    let mut found = false;
    cx.source.view().files_under(&format!("{path}/"), &mut |_, _| {
        found = true;
        std::ops::ControlFlow::Break(())
    })?;
    if !found {
        let message = format!("no file of version {} is below {path}", cx.version);
        return Err(ToolError::new(crate::Code::UnknownPath, message).at(field));
    }
    Ok(path.as_str().to_owned())
}

impl Response {
    fn add(&mut self, cx: &ReadCx<'_>, overview: &Overview, scope: &Scope) -> Result<(), ToolError> {
        let mut directories: Vec<Directory> = overview
            .folders
            .iter()
            .map(|(path, folder)| Directory {
                path: shown_path(path),
                files: folder.files,
                symbols: folder.symbols,
                exported: folder.exported,
                languages: folder.languages.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            })
            .collect();
        directories.sort_by(|a, b| b.symbols.cmp(&a.symbols).then_with(|| a.path.cmp(&b.path)));
        self.directories = Some(directories);
        if !scope.graph {
            return Ok(());
        }
        let enrichment = cx.repo.enrichment(cx.snapshot);
        let symbol = |found: &Standout| Symbol {
            id: found.id.to_string(),
            name: found.name.clone(),
            kind: found.kind.name().to_owned(),
            line: found.line,
            fan_in: found.fan_in,
            fan_out: found.fan_out,
            churn: enrichment.churn_30d(&found.file),
            reason: found.why.to_owned(),
            file: found.file.clone(),
        };
        self.hotspots = Some(overview.hotspots.iter().map(symbol).collect());
        self.entry_points = Some(overview.entry_points.iter().map(symbol).collect());
        self.clusters = Some(match enrichment.clusters()? {
            Some(found) => graph_clusters(&found, scope),
            None => folder_clusters(overview),
        });
        let layers = folder_layers(&overview.folders).into_iter().enumerate();
        let layers = layers.map(|(level, folders)| Layer {
            level,
            directories: folders.iter().map(|path| shown_path(path)).collect(),
        });
        self.layers = Some(layers.collect());
        Ok(())
    }

    /// Shortens the longest list until everything fits. The totals always fit.
    fn fit(&mut self, around: usize, most: usize) -> Result<(), ToolError> {
        let mut dropped = 0;
        while around + budget::json_tokens(&*self)? > most {
            let sizes = [
                list_len(self.directories.as_ref()),
                list_len(self.hotspots.as_ref()),
                list_len(self.entry_points.as_ref()),
                list_len(self.clusters.as_ref()),
                list_len(self.layers.as_ref()),
            ];
            let Some(longest) = sizes.into_iter().max().filter(|longest| *longest > 0) else { break };
            let kept = longest - longest.div_ceil(8);
            dropped += longest - kept;
            match sizes.iter().position(|size| *size == longest) {
                Some(0) => truncate_list(self.directories.as_mut(), kept),
                Some(1) => truncate_list(self.hotspots.as_mut(), kept),
                Some(2) => truncate_list(self.entry_points.as_mut(), kept),
                Some(3) => truncate_list(self.clusters.as_mut(), kept),
                _ => truncate_list(self.layers.as_mut(), kept),
            }
            self.truncation = Some(Truncation {
                truncated: true,
                dropped_cards: dropped as u64,
                dropped_edges: 0,
                spillover_handle: None,
                how_to_resume:
                    "repeat with directories set to the folders of interest, or a larger maxTokens".to_owned(),
            });
        }
        Ok(())
    }
}

fn list_len<T>(list: Option<&Vec<T>>) -> usize {
    list.map_or(0, Vec::len)
}

fn truncate_list<T>(list: Option<&mut Vec<T>>, len: usize) {
    if let Some(list) = list {
        list.truncate(len);
    }
}

/// Returns the clusters of the graph whose hub is in scope.
fn graph_clusters(found: &Clusters, scope: &Scope) -> Vec<Cluster> {
    let told = found.list.iter().filter(|cluster| scope.holds(&cluster.hub));
    let told = told.map(|cluster| Cluster {
        label: cluster.label.clone(),
        files: u64::from(cluster.files),
        hub: Some(cluster.hub.clone()),
        cohesion: f64::from(cluster.cohesion()) / 100.0,
        depends_on: cluster
            .outer
            .iter()
            .take(5)
            .filter_map(|(other, _)| Some(found.list.get(*other as usize)?.label.clone()))
            .collect(),
    });
    told.collect()
}

/// Returns folders as clusters, with the share of their edges that stay inside. Used where the graph is too large for
/// clusters.
fn folder_clusters(overview: &Overview) -> Vec<Cluster> {
    let mut clusters: Vec<(u64, Cluster)> = Vec::new();
    for (path, folder) in &overview.folders {
        let outer: u64 = folder.out.values().sum();
        let all = folder.inner + outer;
        if all == 0 {
            continue;
        }
        let mut on: Vec<(&String, &u64)> = folder.out.iter().collect();
        on.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        let cohesion = (folder.inner as f64 / all as f64 * 100.0).round() / 100.0;
        let depends_on = on.into_iter().take(5).map(|(path, _)| shown_path(path)).collect();
        let cluster =
            Cluster { label: shown_path(path), files: folder.files, hub: None, cohesion, depends_on };
        clusters.push((all, cluster));
    }
    clusters.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.label.cmp(&b.1.label)));
    clusters.into_iter().map(|(_, cluster)| cluster).collect()
}

/// Returns a path in its form on the wire: `.` for the root.
fn shown_path(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

impl Render for Response {
    fn text(&self) -> String {
        let Stats { files, symbols, edges, .. } = &self.stats;
        let mut text = match files {
            0 => "no file is indexed".to_owned(),
            _ => format!("{files} files, {symbols} symbols"),
        };
        if let Some(edges) = edges.filter(|_| *files > 0) {
            append_text(&mut text, format_args!(", {edges} edges"));
        }
        for (language, count) in &self.stats.languages {
            append_text(&mut text, format_args!(", {count} {language}"));
        }
        for directory in self.directories.iter().flatten() {
            begin_line(
                &mut text,
                format_args!("{}: {} files, {} symbols", directory.path, directory.files, directory.symbols),
            );
        }
        for (title, list) in [("hotspots", &self.hotspots), ("entry points", &self.entry_points)] {
            if list.as_ref().is_some_and(|list| !list.is_empty()) {
                begin_line(&mut text, format_args!("{title}:"));
            }
            for symbol in list.iter().flatten() {
                let Symbol { id, name, file, fan_in, .. } = symbol;
                begin_line(&mut text, format_args!("{id} {name} {file}:{} <-{fan_in}", symbol.line));
            }
        }
        if self.clusters.as_ref().is_some_and(|clusters| !clusters.is_empty()) {
            begin_line(
                &mut text,
                format_args!("clusters, with the share of edges that stay inside, and dependencies:"),
            );
        }
        for cluster in self.clusters.iter().flatten() {
            let on = cluster.depends_on.join(", ");
            begin_line(&mut text, format_args!("{} {} -> {on}", cluster.label, cluster.cohesion));
        }
        for layer in self.layers.iter().flatten() {
            begin_line(&mut text, format_args!("layer {}: {}", layer.level, layer.directories.join(" ")));
        }
        if let Some(truncation) = &self.truncation {
            text.push_str(&truncation.line());
        }
        text
    }
}
