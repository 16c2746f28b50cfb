//! Resolves the text of a revision: a branch, a tag, `HEAD`, a commit's digits, any of them with `@{…}`, followed by
//! any of `~N` and `^N`.

use gix::ObjectId;
use gix::hash::Prefix;
use sdl_tools::{Cancel, Candidate, Code, Explained, ToolError};

use super::{check_cancelled, unreadable_error};

/// Names that are offered.
const OFFERED: usize = 5;
/// References that are looked through for near names.
const LOOKED_AT: usize = 5_000;
/// How many commits to go back between two checks whether anyone still waits. `HEAD~100000` is a valid request.
const STEPS: u64 = 256;
/// The forms that are accepted.
const TAKEN: &str = "a branch, a tag, HEAD or a commit, also with @{1} or @{upstream}, followed by ~N or ^N";

/// The commit that `text` names.
pub(super) fn named_commit(
    repo: &gix::Repository,
    text: &str,
    cancel: &Cancel,
) -> Result<ObjectId, ToolError> {
    let end = text.find(['~', '^']).unwrap_or(text.len());
    let (base, steps) = text.split_at(end);
    let mut id = if base.contains("@{") {
        from_log(repo, text, base)?
    } else {
        base_of(repo, base).ok_or_else(|| unknown_name(repo, text, base))?
    };
    let mut rest = steps;
    while let Some(sign) = rest.chars().next() {
        rest = rest.get(1..).unwrap_or_default();
        // Commits are all that there is here.
        if let ('^', Some(more)) = (sign, rest.strip_prefix("{}").or_else(|| rest.strip_prefix("{commit}"))) {
            rest = more;
            continue;
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, more) = rest.split_at(digits);
        rest = more;
        let number: u64 = match number {
            "" => 1,
            number => number.parse().map_err(|_| bad_name(text))?,
        };
        match sign {
            '^' if number == 0 => {}
            '^' => id = nth_parent(repo, id, number).ok_or_else(|| too_far(text, id))?,
            '~' => {
                for step in 0..number {
                    if step % STEPS == 0 {
                        check_cancelled(cancel)?;
                    }
                    id = nth_parent(repo, id, 1).ok_or_else(|| too_far(text, id))?;
                }
            }
            _ => return Err(bad_name(text)),
        }
    }
    Ok(id)
}

/// Where a reference was before, or its upstream: `main@{1}`, `@{-1}`, `main@{upstream}`.
fn from_log(repo: &gix::Repository, text: &str, base: &str) -> Result<ObjectId, ToolError> {
    let found = repo.rev_parse_single(base).and_then(|id| Ok(id.object()?.peel_to_commit()?.id));
    found.map_err(|error| {
        tracing::debug!(%error, base, "not found in the log of a reference");
        let message = format!(
            "git:{} names no commit: the reference's log does not reach there, or it follows none; give {TAKEN}",
            shorten_name(text)
        );
        ToolError::new(Code::UnknownVersion, message)
    })
}

fn base_of(repo: &gix::Repository, base: &str) -> Option<ObjectId> {
    let base = if base.is_empty() || base == "@" { "HEAD" } else { base };
    if base == "HEAD" {
        return repo.head_commit().ok().map(|commit| commit.id);
    }
    if let Ok(Some(mut found)) = repo.try_find_reference(base) {
        return found.peel_to_commit().ok().map(|commit| commit.id);
    }
    let id = match ObjectId::from_hex(base.as_bytes()) {
        Ok(id) => id,
        Err(_) => repo.objects.lookup_prefix(Prefix::from_hex(base).ok()?, None).ok()??.ok()?,
    };
    repo.find_object(id).ok()?.peel_to_commit().ok().map(|commit| commit.id)
}

fn nth_parent(repo: &gix::Repository, id: ObjectId, number: u64) -> Option<ObjectId> {
    let commit = repo.find_commit(id).ok()?;
    let at = usize::try_from(number).ok()?.checked_sub(1)?;
    commit.parent_ids().nth(at).map(gix::Id::detach)
}

fn shorten_name(text: &str) -> String {
    text.chars().take(80).collect()
}

fn bad_name(text: &str) -> ToolError {
    let message = format!("git:{} is not understood: give {TAKEN}", shorten_name(text));
    ToolError::new(Code::UnknownVersion, message)
}

fn too_far(text: &str, id: ObjectId) -> ToolError {
    let message = format!(
        "git:{} goes further back than there are commits: {id} has no such parent here (a shallow clone holds few)",
        shorten_name(text)
    );
    ToolError::new(Code::UnknownVersion, message)
}

/// The error for an unknown name, with similar names: `git:mian` suggests `git:main`.
fn unknown_name(repo: &gix::Repository, text: &str, base: &str) -> ToolError {
    let near = near_names(repo, base).unwrap_or_else(|error| {
        tracing::debug!(error = %error, "the names of branches can't be listed");
        Vec::new()
    });
    let mut message = format!("git:{} names no commit", shorten_name(text));
    if let Some(first) = near.first() {
        message.push_str(&format!("; did you mean git:{first}?"));
    } else {
        message.push_str(&format!(": give {TAKEN}"));
    }
    ToolError::new(Code::UnknownVersion, message)
        .or_one_of(near.into_iter().map(|name| Candidate::of("revision", name)))
}

fn near_names(repo: &gix::Repository, base: &str) -> Result<Vec<String>, ToolError> {
    let references = repo.references().map_err(|error| unreadable_error("listing branches", &error))?;
    let all = references.all().map_err(|error| unreadable_error("listing branches", &error))?;
    let wanted: Vec<char> = base.to_lowercase().chars().take(80).collect();
    let mut names: Vec<(usize, String)> = all
        .filter_map(Result::ok)
        .take(LOOKED_AT)
        .map(|found| found.name().shorten().to_string())
        .map(|name| {
            let lower: Vec<char> = name.to_lowercase().chars().take(80).collect();
            let part = name.to_lowercase().contains(&base.to_lowercase()) && !base.is_empty();
            (if part { 1 } else { edit_distance(&wanted, &lower) }, name)
        })
        .filter(|(distance, _)| *distance <= 2 + wanted.len() / 3)
        .collect();
    names.sort();
    names.dedup();
    Ok(names.into_iter().take(OFFERED).map(|(_, name)| name).collect())
}

/// How many letters have to be changed, added or left out, for example 2 for `mian` and `main`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut before = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, above) in b.iter().zip(row.iter().skip(1)) {
            let changed = before + usize::from(x != y);
            left = changed.min(left + 1).min(above + 1);
            before = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn letters_apart() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, apart) in [("main", "main", 0), ("mian", "main", 2), ("", "dev", 3), ("mai", "main", 1)] {
            assert_eq!(edit_distance(&letters(a), &letters(b)), apart, "{a} {b}");
        }
    }
}
