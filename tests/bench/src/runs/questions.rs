//! Questions about the graph, one after another over one connection: callers, ways between symbols, and what a change
//! affects. The symbols are drawn at random from the tree's own, the same in every run with the same seed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::{Value, json};

use crate::Outcome;
use crate::figures::Times;
use crate::options::Options;
use crate::random::Random;
use crate::world::{World, text_field};

/// Most links of a way that is asked for.
const MOST_LINKS: u64 = 5;

/// A place in the tree: file, line, qualified name.
type Place = (String, u64, String);

/// The symbols to ask about, by id, and who calls each.
struct Graph {
    symbols: Vec<String>,
    functions: Vec<String>,
    callers: BTreeMap<String, BTreeSet<String>>,
}

pub(crate) fn run_questions(options: &Options) -> Outcome {
    let mut world = World::of_options(options)?;
    let graph = Graph::read(&world)?;
    let mut random = Random::new(options.number("seed", 1));
    let calls = options.number("calls", 100);

    let callers = |id: &String| json!({"symbol": id});
    let asked = draw(&graph.functions, 2 * calls, &mut random);
    ask_all(&mut world, "callers", "symbol_related", &asked.into_iter().map(callers).collect::<Vec<_>>())?;

    let hub = graph.callers.iter().max_by_key(|(_, from)| from.len()).ok_or("no function is called")?;
    let (id, count) = (hub.0, hub.1.len());
    let answer = world.call("symbol_related", callers(id))?;
    let name = text_field(answer["of"].get(0).unwrap_or(&Value::Null), "name")?;
    println!("the hub: {name}, with calls in {count} symbols, {} callers", answer["total"]);
    let again = |arguments: Value| (0..calls).map(|_| arguments.clone()).collect::<Vec<_>>();
    ask_all(&mut world, "callers, hub", "symbol_related", &again(callers(id)))?;
    ask_all(&mut world, "hub, 500", "symbol_related", &again(json!({"symbol": id, "limit": 500})))?;

    let ways = connected_pairs(&mut world, &graph, calls, &mut random)?;
    ask_all(&mut world, "path", "symbol_path", &ways)?;

    let impact = |id: &String| json!({"symbols": [id]});
    let asked = draw(&graph.symbols, calls, &mut random);
    ask_all(&mut world, "impact", "change_impact", &asked.into_iter().map(impact).collect::<Vec<_>>())?;
    ask_all(&mut world, "impact, hub", "change_impact", &again(impact(id)))
}

/// Makes the first call apart, because it may have to compute what later ones find, then all of them.
fn ask_all(world: &mut World, shown: &str, action: &str, requests: &[Value]) -> Outcome {
    let first = requests.first().ok_or_else(|| format!("{shown}: nothing to ask for"))?;
    let began = Instant::now();
    world.call(action, first.clone())?;
    let first = began.elapsed().as_secs_f64() * 1e3;
    let (mut times, mut rows) = (Times::default(), 0);
    for request in requests {
        let answer = times.measure(|| world.call(action, request.clone()))?;
        let lists = ["related", "ways", "dependents"].iter().filter_map(|list| answer[*list].as_array());
        let found = lists.map(Vec::len).sum::<usize>();
        if action == "symbol_path" && found == 0 {
            return Err(format!("no way was found where there is one: {request}").into());
        }
        rows += found;
    }
    println!("{shown:<13} first {first:>8.2}  then {}  {rows} rows", times.summary());
    Ok(())
}

/// Some of `all`, each at most once, in a random order.
fn draw<'a>(all: &'a [String], wanted: u64, random: &mut Random) -> Vec<&'a String> {
    let mut keyed: Vec<(u64, &String)> = all.iter().map(|one| (random.next(), one)).collect();
    keyed.sort_unstable();
    keyed.into_iter().take(usize::try_from(wanted).unwrap_or(usize::MAX)).map(|(_, one)| one).collect()
}

impl Graph {
    fn read(world: &World) -> Outcome<Self> {
        let mut ids: BTreeMap<Place, String> = BTreeMap::new();
        let (mut symbols, mut functions) = (Vec::new(), Vec::new());
        for symbol in exported(world, "symbols")? {
            let (id, kind) = (text_field(&symbol, "symbol_id")?, text_field(&symbol, "kind")?);
            if kind == "module" {
                continue;
            }
            if matches!(kind.as_str(), "function" | "method" | "constructor") {
                functions.push(id.clone());
            }
            symbols.push(id.clone());
            ids.insert(place_in(&symbol, ["file", "line", "qualified_name"]), id);
        }
        let mut graph = Self { symbols, functions, callers: BTreeMap::new() };
        for edge in exported(world, "edges")?.iter().filter(|edge| edge["kind"] == "call") {
            let from = ids.get(&place_in(edge, ["caller_file", "caller_line", "caller_name"]));
            let to = ids.get(&place_in(edge, ["callee_file", "callee_line", "callee_name"]));
            if let (Some(from), Some(to)) = (from, to) {
                graph.callers.entry(to.clone()).or_default().insert(from.clone());
            }
        }
        Ok(graph)
    }
}

/// Pairs of symbols of which the first reaches the second by calls: the ends of random walks along callees.
fn connected_pairs(
    world: &mut World,
    graph: &Graph,
    wanted: u64,
    random: &mut Random,
) -> Outcome<Vec<Value>> {
    let mut pairs = BTreeSet::new();
    // A tree may have fewer pairs than that.
    for start in draw(&graph.functions, wanted.saturating_mul(20), random) {
        if pairs.len() as u64 == wanted {
            break;
        }
        let mut at = start.clone();
        for _ in 0..=random.below(MOST_LINKS) {
            let answer = world.call("symbol_related", json!({"symbol": at, "want": "callees"}))?;
            let rows = answer["related"].as_array().map(Vec::as_slice).unwrap_or_default();
            let called: Vec<&Value> = rows.iter().filter(|row| row["edge"] == "call").collect();
            let step = usize::try_from(random.below(called.len() as u64)).unwrap_or(0);
            let Some(next) = called.get(step) else { break };
            at = text_field(next, "symbolId")?;
        }
        if at != *start {
            pairs.insert((start.clone(), at));
        }
    }
    Ok(pairs.into_iter().map(|(from, to)| json!({"from": from, "to": to})).collect())
}

/// What `sdlctl export` writes, line by line.
fn exported(world: &World, what: &str) -> Outcome<Vec<Value>> {
    let text = world.env.ctl_ok(&["export", what, "--repo", &world.repo]);
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn place_in(line: &Value, [file, number, name]: [&str; 3]) -> Place {
    let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
    (text(file), line[number].as_u64().unwrap_or_default(), text(name))
}
