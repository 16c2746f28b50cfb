//! The guard around the tests catches what would write elsewhere. Where there is no guard these tests say so and pass.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder `own` that the guarded program may write to, beside one that is none of its business.
struct World {
    temp: tempfile::TempDir,
}

impl World {
    /// `None`, with the reason printed, if the system has no guard.
    fn new() -> Option<Self> {
        let world = Self { temp: tempfile::tempdir().unwrap() };
        fs::create_dir(world.own()).unwrap();
        fs::create_dir(world.foreign()).unwrap();
        fs::write(world.foreign().join("precious"), "kept").unwrap();
        let output = world.guarded("true");
        if !output.status.success() {
            println!("SKIPPED, no guard: {}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Some(world)
    }

    fn own(&self) -> PathBuf {
        self.temp.path().join("own")
    }

    fn foreign(&self) -> PathBuf {
        self.temp.path().join("foreign")
    }

    /// Runs a shell script under the guard, in the folder that it may write to.
    fn guarded(&self, script: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["guard", "--write"])
            .arg(self.own())
            .args(["--", "sh", "-c", script])
            .current_dir(self.own())
            .env("TMPDIR", self.own())
            .output()
            .unwrap()
    }

    /// Runs a script that has to fail and to leave everything outside as it was.
    #[track_caller]
    fn refused(&self, script: &str) {
        let output = self.guarded(script);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{script}: {said}");
        assert!(said.contains("ermission denied"), "{script}: {said}");
        assert_eq!(names(self.temp.path()), ["foreign", "own"], "{script}");
        assert_eq!(names(&self.foreign()), ["precious"], "{script}");
        assert_eq!(fs::read_to_string(self.foreign().join("precious")).unwrap(), "kept", "{script}");
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_write_above_the_temporary_folder_is_refused() {
    let Some(world) = World::new() else { return };
    world.refused(r#"echo x > "$TMPDIR/../escaped""#);
    world.refused(r#"mkdir "$TMPDIR/../escaped""#);
    world.refused("mv ../foreign/precious .");
    world.refused("rm ../foreign/precious");
}

#[test]
fn a_write_through_a_link_is_refused() {
    let Some(world) = World::new() else { return };
    symlink(world.foreign(), world.own().join("folder")).unwrap();
    symlink(world.foreign().join("precious"), world.own().join("file")).unwrap();
    symlink("..", world.own().join("up")).unwrap();
    world.refused("echo x > folder/escaped");
    world.refused("echo x > file");
    world.refused("echo x > up/escaped");
    world.refused("ln -s /nowhere folder/link");
}

#[test]
fn a_child_of_the_program_is_held_too() {
    let Some(world) = World::new() else { return };
    world.refused("sh -c 'echo x > ../escaped'");
}

#[test]
fn the_own_folder_can_be_written() {
    let Some(world) = World::new() else { return };
    let script = "mkdir -p a b && echo x > a/f && mv a/f b/g && ln -s b c && rm -r a && echo y >> c/g && : > /dev/null";
    let output = world.guarded(script);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(world.own().join("b/g")).unwrap(), "x\ny\n");
}
