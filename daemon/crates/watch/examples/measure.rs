//! Measures crawling, adding a root, and the barrier on a tree: `cargo run --release -p sdl-watch --example measure -- PATH`.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use sdl_watch::{Crawl, Hub, HubConfig, NothingKnown, RootContext, RootOptions, Synced, check_root};

fn main() -> Result<(), Box<dyn Error>> {
    let path: PathBuf = std::env::args_os().nth(1).ok_or("give the path of a tree")?.into();
    let root = check_root(&path, &[], &RootContext::default())?;
    let options = RootOptions::for_user(Vec::new());

    let mut crawls = Vec::new();
    let mut on_cpu = Vec::new();
    let mut listing = None;
    for _ in 0..9 {
        let (start, cpu) = (Instant::now(), cpu_time());
        listing = Some(Crawl::new(&root, &options)?.run());
        crawls.push(start.elapsed());
        on_cpu.push(cpu_time().saturating_sub(cpu));
    }
    let listing = listing.ok_or("no crawl")?;
    println!(
        "crawl: {} files, {} folders, {} ignored; median {:?}, of which on the CPU {:?}",
        listing.found.len(),
        listing.folders,
        listing.ignored,
        percentile(&mut crawls, 50),
        percentile(&mut on_cpu, 50)
    );

    let cookies = std::env::temp_dir().join(format!("sdl-measure-{}", std::process::id()));
    let hub = Hub::start(HubConfig::new(&cookies));
    let start = Instant::now();
    let mut tree = hub.add_root(&root, options);
    let batch = tree.inbox().next().ok_or("closed")?;
    let changes = tree.changes(&batch, &NothingKnown)?;
    let took = start.elapsed();
    tree.finish(&batch, &changes);
    println!("add_root and first comparison, with {} watches: {took:?}", tree.handle().status().watches);

    let handle = tree.handle().clone();
    let id = handle.id();
    let worker = std::thread::spawn(move || {
        while let Some(batch) = tree.inbox().next() {
            let Ok(changes) = tree.changes(&batch, &NothingKnown);
            tree.finish(&batch, &changes);
        }
    });
    let mut barriers = Vec::new();
    for _ in 0..5_000 {
        let start = Instant::now();
        if handle.sync(start + Duration::from_secs(5)) != Synced::Confirmed {
            return Err("a barrier was not confirmed".into());
        }
        barriers.push(start.elapsed());
    }
    println!(
        "barrier, nothing changed: p50 {:?}, p99 {:?}, worst {:?}",
        percentile(&mut barriers, 50),
        percentile(&mut barriers, 99),
        percentile(&mut barriers, 100)
    );

    let start = Instant::now();
    handle.rescan();
    handle.sync(start + Duration::from_mins(1));
    println!("rescan with all watches renewed, and its settling: {:?}", start.elapsed());
    hub.remove_root(id);
    worker.join().map_err(|_| "the worker panicked")?;
    std::fs::remove_dir_all(cookies)?;
    Ok(())
}

/// How long this thread has run on a CPU, which a busy machine does not stretch as much; zero where the system doesn't
/// report it.
fn cpu_time() -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map_or(Duration::ZERO, Duration::from_nanos)
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}
