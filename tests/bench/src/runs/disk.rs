//! The room that facts and ledger take on the disk, by table, beside the bytes of the indexed files.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use sdl_ledger::{FactsStore, Ledger, Options as StoreOptions, Space, TableSpace, View as _};
use sdl_model::FileState;
use sdl_tests::TestEnv;

use crate::figures::format_megabytes;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, process, tree};

/// How long the files of a ledger may be listed.
const LISTING: Duration = Duration::from_mins(1);

pub(crate) fn run_disk(options: &Options) -> Outcome {
    let path = options.path.clone().ok_or("disk wants a PATH")?;
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    tree::copy_tree(&path, &root)?;
    let state = env.state_dir();
    let (world, took) = World::indexed(env, &root)?;
    let cpu = process::cpu_seconds(world.daemon.pid()).unwrap_or(f64::NAN);
    println!("first index: {:.1} s, CPU {cpu:.1} s since the daemon's start", took.as_secs_f64());
    let World { client, mut daemon, env, .. } = world;
    drop(client);
    env.ctl_ok(&["stop"]);
    daemon.wait();
    measure_state(&state)
}

/// Prints what the stores of a daemon that has ended take.
fn measure_state(state: &Path) -> Outcome {
    let (facts, _) = FactsStore::open(&state.join("facts"), &StoreOptions::default())?;
    let mut stored = print_space("facts", &facts.space()?);
    let mut source = 0;
    for entry in fs::read_dir(state.join("repos"))? {
        let entry = entry?;
        let ledger = Ledger::open(&entry.path(), &StoreOptions::default())?.ledger;
        stored += print_space(&entry.file_name().to_string_lossy(), &ledger.space()?);
        source += indexed_bytes(&ledger)?;
    }
    let ratio = stored as f64 / source.max(1) as f64;
    println!(
        "{} on the disk, {} of indexed files: {ratio:.2} times",
        format_megabytes(stored),
        format_megabytes(source)
    );
    Ok(())
}

/// The bytes of the files whose facts a ledger holds.
fn indexed_bytes(ledger: &Ledger) -> Outcome<u64> {
    Ok(ledger.read(Instant::now() + LISTING, |view| {
        let (mut files, mut bytes) = (Vec::new(), 0);
        view.files_under("", &mut |file, _| {
            files.push(file);
            ControlFlow::Continue(())
        })?;
        for file in files {
            let row = view.file(file)?.filter(|row| matches!(row.state, FileState::Indexed(_)));
            bytes += row.map_or(0, |row| row.size);
        }
        Ok(bytes)
    })?)
}

/// Prints a store by table, the largest first; the bytes of its file.
fn print_space(name: &str, space: &Space) -> u64 {
    println!("\n{name}: {}", format_megabytes(space.bytes));
    println!(
        "  {:<14} {:>9} {:>9} {:>10} {:>10} {:>7} {:>7} {:>8}",
        "table", "MB", "rows", "key bytes", "value b.", "branch", "leaf", "overflow"
    );
    // Both generations of a table together: one of them is empty.
    let mut tables: BTreeMap<&str, TableSpace> = BTreeMap::new();
    for table in &space.tables {
        tables.entry(table.name).and_modify(|sum| sum.add(table)).or_insert_with(|| table.clone());
    }
    let mut tables: Vec<TableSpace> = tables.into_values().filter(|table| table.rows > 0).collect();
    tables.sort_by_key(|table| std::cmp::Reverse(table.pages()));
    for table in &tables {
        println!(
            "  {:<14} {:>9.2} {:>9} {:>10} {:>10} {:>7} {:>7} {:>8}",
            table.name,
            (table.pages() * space.page_bytes) as f64 / 1e6,
            table.rows,
            table.key_bytes,
            table.value_bytes,
            table.branch_pages,
            table.leaf_pages,
            table.overflow_pages
        );
    }
    let used = tables.iter().map(TableSpace::pages).sum::<u64>() * space.page_bytes;
    println!("  {:<14} {:>9.2}", "free", space.bytes.saturating_sub(used) as f64 / 1e6);
    space.bytes
}
