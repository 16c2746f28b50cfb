//! A branch switch that changes many files at once, there and back again.

use sdl_tests::TestEnv;

use super::checkout::{Checkout, make_branches};
use crate::options::Options;
use crate::world::{World, symbol_id};
use crate::{Outcome, tree};

pub(crate) fn run_burst(options: &Options) -> Outcome {
    let env = TestEnv::new();
    let root = env.repo("tree", "");
    let files = options.number("files", 300) as usize;
    let mut modules = tree::make_tree(&root, files)?;
    make_branches(&root, || {
        for module in &mut modules {
            module.literals = [7; tree::FUNCTIONS];
            module.renames[1] += 1;
            module.write(&root)?;
        }
        Ok(())
    })?;

    let (mut world, time) = World::indexed(env, &root)?;
    println!("{files} made files, indexed in {:.2} s", time.as_secs_f64());
    let mut before = world.head()?;
    for (round, branch) in ["other", "main", "other", "main"].into_iter().enumerate() {
        let checkout = Checkout::make(&mut world, branch)?;
        let head = world.head()?;
        println!(
            "to {branch:<6} {}, {} version(s){}",
            checkout.describe(),
            head - before,
            if round == 0 { "  (parses)" } else { "  (all facts known)" }
        );
        before = head;
        let name = if branch == "other" { "step_0_1_again1" } else { "step_0_1" };
        symbol_id(&mut world, name)?;
    }
    Ok(())
}
