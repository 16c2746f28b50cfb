//! Symbols that a failing test exercises.

use sdl_model::{EdgeKind, SymbolKind};

use super::Seeds;
use crate::search::files::files_at;
use crate::slice::SliceRequest;
use crate::{Evidence, Result, Source, Sym};

pub(super) fn add_test_seeds(
    source: &Source<'_>,
    request: &SliceRequest,
    seeds: &mut Seeds,
    evidence: &mut Evidence,
) -> Result<()> {
    let Some(spelled) = &request.failing_test_path else {
        evidence.skipped("failingTestPath");
        return Ok(());
    };
    // pytest and cargo name tests after `::`, some runners after `#`.
    let mut parts = spelled.split("::").flat_map(|part| part.split('#'));
    let path = parts.next().unwrap_or("");
    let name = parts.last().map(|name| name.split('[').next().unwrap_or(name));
    let mut found = 0;
    let mut known = false;
    for file in files_at(source.view(), path)?.into_iter().take(1) {
        let symbols = source.symbols_of(file)?;
        known = true;
        let named: Vec<&Sym> = symbols.iter().filter(|sym| Some(sym.name()) == name).collect();
        if let Some(name) = name.filter(|_| named.is_empty()) {
            evidence
                .miss("failingTestPath", format!("{path} has no test {name:?}; all of its tests were taken"));
        }
        let tests: Vec<&Sym> = if named.is_empty() { symbols.iter().collect() } else { named };
        for test in tests {
            if test.kind() == SymbolKind::Impl {
                continue;
            }
            let runs = test.kind().is_callable();
            seeds.add(test.id, if runs { 0.6 } else { 0.4 }, name.is_some() && runs);
            found += 1;
            for edge in source.view().out_edges(test.id)? {
                let floor = if edge.kind == EdgeKind::Call { request.min_call_confidence } else { 0 };
                if edge.confidence < floor.max(request.min_confidence)
                    || source.view().symbol_file(edge.to)? == Some(file)
                {
                    continue;
                }
                let weight = if edge.kind == EdgeKind::Call { 0.92 } else { 0.6 };
                seeds.add(edge.to, weight * f32::from(edge.confidence) / 100.0, false);
                found += 1;
            }
        }
    }
    if !known {
        evidence.miss("failingTestPath", format!("{path} is not indexed"));
    }
    evidence.ran("failingTestPath", found);
    Ok(())
}
