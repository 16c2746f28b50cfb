//! `GET /api/graph`: the symbols and edges of a repository in columns. The daemon gives them page by page; a page of another
//! version begins the whole again.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode, Uri};
use sdl_client::ClientError;
use sdl_proto::{WireError, code};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::App;
use crate::answer::{failure_response, json_response, refusal};

/// No browser draws more.
const MOST_NODES: usize = 300_000;
const MOST_EDGES: usize = 1_500_000;

/// How often a tree that changes meanwhile is read again.
const ATTEMPTS: usize = 5;

#[derive(Deserialize)]
struct Page {
    version: String,
    next: Option<String>,
    files: Vec<String>,
    nodes: Nodes,
    edges: PageEdges,
}

#[derive(Default, Deserialize, Serialize)]
struct Nodes {
    id: Vec<String>,
    name: Vec<String>,
    kind: Vec<String>,
    file: Vec<usize>,
    line: Vec<u32>,
    cluster: Vec<String>,
}

#[derive(Deserialize)]
struct PageEdges {
    from: Vec<String>,
    to: Vec<String>,
    kind: Vec<String>,
}

/// All pages. Edges name places in the columns of nodes.
#[derive(Default, Serialize)]
struct Graph {
    version: String,
    nodes: Nodes,
    files: Vec<String>,
    edges: Edges,
}

#[derive(Default, Serialize)]
struct Edges {
    from: Vec<u32>,
    to: Vec<u32>,
    kind: Vec<String>,
}

/// What was read so far.
#[derive(Default)]
struct Gathered {
    graph: Graph,
    edges: Vec<PageEdges>,
    count: usize,
}

/// Answers the request.
pub(crate) async fn answer_graph(State(app): State<Arc<App>>, uri: Uri) -> Response<Body> {
    let query = uri.query().unwrap_or_default();
    let repo = query.split('&').find_map(|pair| pair.strip_prefix("repo=")).map(decode_percent);
    let Some(repo) = repo.filter(|repo| !repo.is_empty()) else {
        return refusal(StatusCode::BAD_REQUEST, "missingField", "say which repository: ?repo=ID");
    };
    let gathered = match gather_pages(&app, &repo).await {
        Ok(gathered) => gathered,
        Err(error) => return failure_response(error),
    };
    // On a thread of its own, because a large graph takes long enough to hold up other requests.
    let made = tokio::task::spawn_blocking(move || serde_json::to_vec(&gathered.connect()));
    match made.await {
        Ok(Ok(bytes)) => json_response(StatusCode::OK, bytes),
        _ => refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the graph can't be written"),
    }
}

/// A value of a query without its escapes.
fn decode_percent(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex =
            after.get(..2).and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn gather_pages(app: &App, repo: &str) -> Result<Gathered, ClientError> {
    let mut attempts = 1;
    'again: loop {
        let mut gathered = Gathered::default();
        let mut after: Option<String> = None;
        loop {
            let version = after.as_ref().map(|_| &gathered.graph.version);
            let params = json!({ "repo": repo, "after": after, "version": version }).to_string();
            let page = match app.daemon.call("export/graph", &params).await {
                Ok(page) => page,
                Err(ClientError::Answer(error)) if error.code == code::CONFLICT && attempts < ATTEMPTS => {
                    attempts += 1;
                    continue 'again;
                }
                Err(error) => return Err(error),
            };
            let page: Page = serde_json::from_slice(&page).map_err(|error| {
                let message = format!("the daemon's graph is not what it should be: {error}");
                ClientError::Answer(WireError::new(code::INTERNAL, message))
            })?;
            let next = page.next.clone();
            gathered.add(page).map_err(ClientError::Answer)?;
            if next.is_none() {
                return Ok(gathered);
            }
            after = next;
        }
    }
}

impl Gathered {
    fn add(&mut self, page: Page) -> Result<(), WireError> {
        let Page { version, files, mut nodes, edges, .. } = page;
        let graph = &mut self.graph;
        graph.version = version;
        let first = graph.files.len();
        graph.files.extend(files);
        nodes.file.iter_mut().for_each(|file| *file += first);
        let all = &mut graph.nodes;
        all.id.append(&mut nodes.id);
        all.name.append(&mut nodes.name);
        all.kind.append(&mut nodes.kind);
        all.file.append(&mut nodes.file);
        all.line.append(&mut nodes.line);
        all.cluster.append(&mut nodes.cluster);
        self.count += edges.to.len();
        self.edges.push(edges);
        if all.id.len() > MOST_NODES || self.count > MOST_EDGES {
            let message = format!(
                "the repository has more than {MOST_NODES} symbols or {MOST_EDGES} edges; \
                 look at a part of it with a search"
            );
            return Err(WireError::new(code::TOO_LARGE, message));
        }
        Ok(())
    }

    /// Replaces the names of symbols in edges by their places. Edges to symbols that are in no file are left out.
    fn connect(self) -> Graph {
        let mut graph = self.graph;
        let places: HashMap<&str, u32> =
            graph.nodes.id.iter().enumerate().map(|(place, id)| (id.as_str(), place as u32)).collect();
        let mut edges = Edges::default();
        for page in self.edges {
            for ((from, to), kind) in page.from.iter().zip(&page.to).zip(page.kind) {
                if let (Some(from), Some(to)) = (places.get(from.as_str()), places.get(to.as_str())) {
                    edges.from.push(*from);
                    edges.to.push(*to);
                    edges.kind.push(kind);
                }
            }
        }
        graph.edges = edges;
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(file: &str, ids: &[&str], edges: &[(&str, &str)]) -> Page {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Page {
            version: "v1".to_owned(),
            next: None,
            files: vec![file.to_owned()],
            nodes: Nodes {
                id: texts(ids),
                name: texts(ids),
                kind: texts(&vec!["function"; ids.len()]),
                file: vec![0; ids.len()],
                line: vec![1; ids.len()],
                cluster: texts(&vec!["c"; ids.len()]),
            },
            edges: PageEdges {
                from: edges.iter().map(|(from, _)| (*from).to_owned()).collect(),
                to: edges.iter().map(|(_, to)| (*to).to_owned()).collect(),
                kind: texts(&vec!["call"; edges.len()]),
            },
        }
    }

    #[test]
    fn pages_become_one_graph_whose_edges_are_places() {
        let mut gathered = Gathered::default();
        gathered.add(page("a.py", &["s_1", "s_2"], &[("s_1", "s_3"), ("s_2", "s_gone")])).unwrap();
        gathered.add(page("b.py", &["s_3"], &[("s_3", "s_2")])).unwrap();
        let graph = gathered.connect();
        assert_eq!(graph.files, ["a.py", "b.py"]);
        assert_eq!(graph.nodes.file, [0, 0, 1]);
        assert_eq!((graph.edges.from, graph.edges.to), (vec![0, 2], vec![2, 1]));
        assert_eq!(graph.edges.kind.len(), 2);
    }

    #[test]
    fn a_graph_that_no_browser_draws_is_refused() {
        let mut gathered = Gathered { count: MOST_EDGES, ..Gathered::default() };
        let refused = gathered.add(page("a.py", &["s_1"], &[("s_1", "s_1")])).unwrap_err();
        assert_eq!(refused.code, code::TOO_LARGE);
    }

    #[test]
    fn escapes_of_a_query_are_read() {
        assert_eq!(decode_percent("a%2Fb+c%C3%A4%"), "a/b cä%");
        assert_eq!(decode_percent("%zz%2"), "%zz%2");
    }
}
