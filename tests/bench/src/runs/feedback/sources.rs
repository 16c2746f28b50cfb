//! Tasks, and sources of which it is known to which task they are useful.

use serde_json::{Value, json};

use crate::Outcome;
use crate::random::Random;
use crate::texts::Vocabulary;
use crate::world::{World, symbol_id, text_field};

/// Tasks of one domain. They have words in common, so that sources of one are shown for others too.
const TASKS_OF_DOMAIN: usize = 4;
/// Words of a subject: those of its domain, and its own.
const DOMAIN_WORDS: usize = 5;
const OWN_WORDS: usize = 15;
/// Words of its subject that a task names.
const NAMED: usize = 8;
/// Sources that are useful to a task, in turn. To every fourth one alone helps.
const USEFUL: [usize; 4] = [1, 3, 5, 8];
/// The share of a useful source's words that are of the subject, and of a misleading one's that are of the task.
const USEFUL_SHARE: f64 = 0.3;
const MISLEADING_SHARE: f64 = 0.5;

/// A task.
pub(super) struct Task {
    pub(super) text: String,
    /// The same task in other words. It is never judged.
    pub(super) paraphrase: String,
    /// The ids of the sources that help.
    pub(super) useful: Vec<String>,
    /// The id of the function that it names.
    pub(super) function: String,
}

/// A source that is not stored yet: its action and arguments, the field of the answer with its id, and the task that it is useful to.
struct Source {
    action: &'static str,
    row: Value,
    id: &'static str,
    useful_to: Option<usize>,
}

/// Makes tasks, and stores their sources among others. Of each task `misleading` sources are of no use, but have more of its words than the
/// useful ones. All are stored in random order, or task by task: rows that are written one after the other lend each other words.
pub(super) fn make_tasks(
    world: &mut World,
    random: &mut Random,
    vocabulary: &Vocabulary,
    (tasks, count, misleading): (usize, usize, usize),
    is_shuffled: bool,
) -> Outcome<Vec<Task>> {
    let (mut made, mut sources) = (Vec::new(), Vec::new());
    let mut domain: Vec<&str> = Vec::new();
    for nth in 0..tasks {
        if nth % TASKS_OF_DOMAIN == 0 {
            domain = vocabulary.words(random, DOMAIN_WORDS);
        }
        let mut subject = domain.clone();
        subject.extend(vocabulary.words(random, OWN_WORDS));
        let (named, others) = (pick_words(random, &subject), pick_words(random, &subject));
        let function = format!("step_{}_{}", random.below(50), random.below(5));
        made.push(Task {
            text: task_text(random, vocabulary, (&named, &function)),
            paraphrase: task_text(random, vocabulary, (&others, &function)),
            useful: Vec::new(),
            function: symbol_id(world, &function)?,
        });
        for _ in 0..USEFUL.get(nth % USEFUL.len()).copied().unwrap_or(1) {
            sources.push(make_source(random, vocabulary, (&subject, USEFUL_SHARE), Some(nth)));
        }
        for _ in 0..misleading {
            sources.push(make_source(random, vocabulary, (&named, MISLEADING_SHARE), None));
        }
    }
    while sources.len() < count {
        let about = vocabulary.words(random, OWN_WORDS);
        sources.push(make_source(random, vocabulary, (&about, USEFUL_SHARE), None));
    }
    while !sources.is_empty() {
        let at = if is_shuffled { random.below(sources.len() as u64) as usize } else { 0 };
        let source = sources.remove(at);
        let id = text_field(&world.call(source.action, source.row)?, source.id)?;
        if let Some(task) = source.useful_to.and_then(|nth| made.get_mut(nth)) {
            task.useful.push(id);
        }
    }
    Ok(made)
}

/// How many sources are useful to some task.
pub(super) fn count_useful(tasks: &[Task]) -> usize {
    tasks.iter().map(|task| task.useful.len()).sum()
}

fn pick_words<'v>(random: &mut Random, subject: &[&'v str]) -> Vec<&'v str> {
    let mut rest = subject.to_vec();
    let mut picked = Vec::new();
    while picked.len() < NAMED && !rest.is_empty() {
        picked.push(rest.swap_remove(random.below(rest.len() as u64) as usize));
    }
    picked
}

/// A request with these words, three others and the name of a function.
fn task_text(random: &mut Random, vocabulary: &Vocabulary, (named, function): (&[&str], &str)) -> String {
    let others = vocabulary.words(random, 3);
    format!("the {} of the {} in {function}", named.join(" "), others.join(" and "))
}

/// Makes a memory, a lesson or a fact.
fn make_source(
    random: &mut Random,
    vocabulary: &Vocabulary,
    about: (&[&str], f64),
    useful_to: Option<usize>,
) -> Source {
    let text = |random: &mut Random, least: u64, spread: u64| -> String {
        let length = least + random.below(spread);
        vocabulary.text(random, length as usize, about)
    };
    let (action, row, id) = match random.below(5) {
        0 => {
            let (title, content) = (text(random, 5, 4), text(random, 15, 20));
            let lesson =
                json!({"agent": "bench", "lessonType": "procedural", "title": title, "content": content});
            ("lesson_store", lesson, "memoryId")
        }
        1 => {
            let (subject, object) = (text(random, 3, 3), text(random, 6, 8));
            let predicate = vocabulary.words(random, 2).join("_");
            let fact =
                json!({"subject": subject, "predicate": predicate, "object": object, "objectType": "text"});
            ("kg_add", fact, "tripleId")
        }
        _ => {
            let memory =
                json!({"type": "note", "title": text(random, 5, 4), "content": text(random, 15, 20)});
            ("memory_store", memory, "memoryId")
        }
    };
    Source { action, row, id, useful_to }
}
