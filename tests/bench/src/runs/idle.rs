//! The daemon's activity when there is nothing to do.

use std::sync::mpsc::channel;
use std::time::Duration;

use sdl_tests::TestEnv;

use crate::figures::format_megabytes;
use crate::options::Options;
use crate::world::World;
use crate::{Outcome, process, tree};

pub(crate) fn run_idle(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    match &options.path {
        Some(path) => println!("{} files of {}", tree::copy_tree(path, &root)?, path.display()),
        None => println!("{} made files", tree::make_tree(&root, 300)?.len()),
    }
    let (world, _) = World::indexed(env, &root)?;
    let pid = world.daemon.pid();
    // Work that the index postponed is done first.
    pass_time(Duration::from_secs(3));
    let seconds = options.number("seconds", 60);
    let before = (process::cpu_seconds(pid), process::wakeup_count(pid), process::bytes_written(pid));
    pass_time(Duration::from_secs(seconds));
    let after = (process::cpu_seconds(pid), process::wakeup_count(pid), process::bytes_written(pid));
    println!(
        "idle for {seconds} s, one shim connected, {} threads:",
        number_text(process::thread_count(pid))
    );
    if let (Some(before), Some(after)) = (before.0, after.0) {
        println!("  CPU            {:.2} s", after - before);
    }
    println!(
        "  wake-ups       {}",
        number_text(after.1.zip(before.1).map(|(after, before)| after.saturating_sub(before)))
    );
    println!("  bytes written  {}", number_text(after.2.zip(before.2).map(|(after, before)| after - before)));
    if let Some(memory) = process::memory_use(pid) {
        println!(
            "  memory         {} resident, {} of it private, peak {}",
            format_megabytes(memory.resident),
            format_megabytes(memory.anonymous),
            format_megabytes(memory.peak)
        );
    }
    Ok(())
}

/// Lets time pass. The channel never gets anything.
pub(crate) fn pass_time(time: Duration) {
    let (_sender, receiver) = channel::<()>();
    let _ = receiver.recv_timeout(time);
}

fn number_text(number: Option<u64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}
