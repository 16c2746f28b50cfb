//! Renames and moves: which of the symbols that came is which of those that went.

use std::collections::HashMap;

use sdl_model::facts::DefIx;
use sdl_model::{FileId, SymbolKind};

use super::compare::body_length;
use crate::Sym;

/// Symbols that went and came in one file, beyond which shapes are not compared.
const MOST_OF_FILE: usize = 300;
/// Bodies of fewer bytes are alike by chance.
const TELLING: u32 = 30;
/// How alike two symbols must be.
const ALIKE: f32 = 0.6;

/// Pairs of places in `went` and `came`. Each place occurs once at most.
pub(super) fn pair_symbols(went: &[Sym], came: &[Sym]) -> Vec<(usize, usize)> {
    let mut pairing = Pairing {
        went,
        came,
        old_taken: vec![false; went.len()],
        new_taken: vec![false; came.len()],
        pairs: Vec::new(),
    };
    pairing.by_tokens();
    pairing.by_body();
    pairing.by_shape();
    pairing.owners();
    pairing.by_place();
    pairing.modules();
    pairing.pairs.sort_unstable();
    pairing.pairs
}

struct Pairing<'s> {
    went: &'s [Sym],
    came: &'s [Sym],
    old_taken: Vec<bool>,
    new_taken: Vec<bool>,
    pairs: Vec<(usize, usize)>,
}

impl Pairing<'_> {
    fn take(&mut self, old: usize, new: usize) {
        self.old_taken[old] = true;
        self.new_taken[new] = true;
        self.pairs.push((old, new));
    }

    /// The same tokens: moved as they were. Where several have the same tokens, those under the same qualified name go
    /// together, then those that are alone of their name's owner.
    fn by_tokens(&mut self) {
        let mut by_tokens: HashMap<(u64, SymbolKind), Vec<usize>> = HashMap::new();
        for (i, sym) in self.went.iter().enumerate() {
            if sym.kind() != SymbolKind::Module {
                by_tokens.entry((sym.def().tokens, sym.kind())).or_default().push(i);
            }
        }
        let came = self.came;
        for strict in [true, false] {
            for (new, sym) in came.iter().enumerate() {
                let Some(olds) = by_tokens.get(&(sym.def().tokens, sym.kind())) else { continue };
                if self.new_taken[new] {
                    continue;
                }
                let free: Vec<usize> = olds.iter().copied().filter(|old| !self.old_taken[*old]).collect();
                let same_name =
                    free.iter().copied().find(|old| self.went[*old].qualified() == sym.qualified());
                let only = (free.len() == 1).then(|| free[0]);
                if let Some(old) = if strict { same_name } else { same_name.or(only) } {
                    self.take(old, new);
                }
            }
        }
    }

    /// The same body under another name, wherever it is, if no other symbol that went or came has it.
    fn by_body(&mut self) {
        let mut by_body: HashMap<(u64, SymbolKind), (Vec<usize>, Vec<usize>)> = HashMap::new();
        let key = |sym: &Sym| {
            let tells = sym.kind().is_callable() && sym.def().body_tokens != 0 && body_length(sym) >= TELLING;
            tells.then(|| (sym.def().body_tokens, sym.kind()))
        };
        for (old, sym) in self.went.iter().enumerate() {
            if let Some(key) = key(sym) {
                by_body.entry(key).or_default().0.push(old);
            }
        }
        for (new, sym) in self.came.iter().enumerate() {
            if let Some(sides) = key(sym).and_then(|key| by_body.get_mut(&key)) {
                sides.1.push(new);
            }
        }
        for sides in by_body.into_values() {
            if let ([old], [new]) = (sides.0.as_slice(), sides.1.as_slice())
                && !self.old_taken[*old]
                && !self.new_taken[*new]
            {
                self.take(*old, *new);
            }
        }
    }

    /// Pairs symbols of the same shape in the same file (renamed: `pay` to `charge`), or of the same name in another
    /// (moved and edited).
    fn by_shape(&mut self) {
        let mut candidates = Vec::new();
        let free = |taken: &[bool]| {
            taken.iter().enumerate().filter(|(_, taken)| !**taken).map(|(i, _)| i).collect::<Vec<_>>()
        };
        let (olds, news) = (free(&self.old_taken), free(&self.new_taken));
        let mut by_file: HashMap<_, Vec<usize>> = HashMap::new();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for old in olds {
            by_file.entry(self.went[old].file()).or_default().push(old);
            by_name.entry(self.went[old].name()).or_default().push(old);
        }
        for new in news {
            let sym = &self.came[new];
            let near = by_file.get(&sym.file()).into_iter().flatten().take(MOST_OF_FILE);
            let namesakes = by_name.get(sym.name()).into_iter().flatten().take(16);
            for &old in near.chain(namesakes) {
                let alike = symbol_similarity(&self.went[old], sym);
                if alike >= ALIKE {
                    candidates.push((alike, old, new));
                }
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, old, new) in candidates {
            if !self.old_taken[old] && !self.new_taken[new] {
                self.take(old, new);
            }
        }
    }

    /// Pairs a type with the one to which most of its members moved, whatever its name.
    fn owners(&mut self) {
        type Places = HashMap<(FileId, DefIx), usize>;
        let free = |syms: &[Sym], taken: &[bool]| -> Places {
            let free = syms.iter().zip(taken).enumerate();
            let free = free.filter(|(_, (sym, taken))| !**taken && sym.kind().is_type());
            free.map(|(at, (sym, _))| ((sym.file(), sym.ix), at)).collect()
        };
        let owner = |sym: &Sym, places: &Places| places.get(&(sym.file(), sym.def().parent?)).copied();
        let (olds, news) = (free(self.went, &self.old_taken), free(self.came, &self.new_taken));
        let mut followed: HashMap<(usize, usize), usize> = HashMap::new();
        for &(old, new) in &self.pairs {
            let owners = (owner(&self.went[old], &olds), owner(&self.came[new], &news));
            if let (Some(old), Some(new)) = owners {
                *followed.entry((old, new)).or_default() += 1;
            }
        }
        let members = |sym: &Sym| sym.outline().defs.iter().filter(|def| def.parent == Some(sym.ix)).count();
        let mut candidates: Vec<_> = followed
            .into_iter()
            .filter(|((old, new), moved)| {
                let (old, new) = (&self.went[*old], &self.came[*new]);
                old.kind() == new.kind() && moved * 2 > members(old)
            })
            .collect();
        candidates.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        for ((old, new), _) in candidates {
            if !self.old_taken[old] && !self.new_taken[new] {
                self.take(old, new);
            }
        }
    }

    /// Pairs symbols with the same qualified name in the same file, for example a value that became a function.
    fn by_place(&mut self) {
        fn place(sym: &Sym) -> (sdl_model::FileId, &str) {
            (sym.file(), sym.qualified())
        }
        let free = |syms: &[Sym], taken: &[bool]| -> Vec<usize> {
            let free = syms.iter().zip(taken).enumerate();
            free.filter(|(_, (sym, taken))| !**taken && sym.kind() != SymbolKind::Module)
                .map(|(i, _)| i)
                .collect()
        };
        let mut by_place: HashMap<_, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for old in free(self.went, &self.old_taken) {
            by_place.entry(place(&self.went[old])).or_default().0.push(old);
        }
        for new in free(self.came, &self.new_taken) {
            by_place.entry(place(&self.came[new])).or_default().1.push(new);
        }
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for sides in by_place.values() {
            if let ([old], [new]) = (sides.0.as_slice(), sides.1.as_slice()) {
                pairs.push((*old, *new));
            }
        }
        for (old, new) in pairs {
            self.take(old, new);
        }
    }

    /// Pairs a file's own symbol with the file to which most of its symbols moved.
    fn modules(&mut self) {
        let mut moves: HashMap<_, usize> = HashMap::new();
        for &(old, new) in &self.pairs {
            let files = (self.went[old].file(), self.came[new].file());
            if files.0 != files.1 {
                *moves.entry(files).or_default() += 1;
            }
        }
        let module = |syms: &[Sym], taken: &[bool]| -> Vec<usize> {
            let free = syms
                .iter()
                .zip(taken)
                .enumerate()
                .filter(|(_, (sym, taken))| sym.kind() == SymbolKind::Module && !**taken);
            free.map(|(i, _)| i).collect()
        };
        let (olds, news) = (module(self.went, &self.old_taken), module(self.came, &self.new_taken));
        let mut candidates = Vec::new();
        for &old in &olds {
            for &new in &news {
                let (before, after) = (&self.went[old], &self.came[new]);
                let same_content = before.row().state == after.row().state;
                let moved = moves.get(&(before.file(), after.file())).copied().unwrap_or(0);
                if same_content || moved * 2 > before.outline().defs.len().saturating_sub(1).max(1) {
                    candidates.push((same_content, moved, old, new));
                }
            }
        }
        candidates.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
        for (_, _, old, new) in candidates {
            if !self.old_taken[old] && !self.new_taken[new] {
                self.take(old, new);
            }
        }
    }
}

/// How alike two symbols are, from 0 to 1.
fn symbol_similarity(old: &Sym, new: &Sym) -> f32 {
    let (a, b) = (old.def(), new.def());
    let runs = |sym: &Sym| sym.kind().is_callable();
    if old.kind() == SymbolKind::Module || old.kind() != new.kind() && !(runs(old) && runs(new)) {
        return 0.0;
    }
    let same_file = old.file() == new.file();
    let text = |sym: &Sym, ix: Option<sdl_model::facts::StrIx>| ix.map(|ix| sym.outline().str(ix).to_owned());
    let params = |sym: &Sym| -> Vec<String> {
        sym.def().params.iter().map(|param| sym.outline().str(param.name).to_owned()).collect()
    };
    let mut score = 0.0;
    if old.name() == new.name() {
        score += 0.4;
    }
    if same_file && owner_prefix(old) == owner_prefix(new) {
        score += 0.2;
    }
    let (old_params, new_params) = (params(old), params(new));
    if old_params == new_params {
        score += if old_params.is_empty() { 0.08 } else { 0.2 };
    }
    if text(old, a.ret_text) == text(new, b.ret_text) {
        score += 0.05;
    }
    if a.doc.is_some() && text(old, a.doc) == text(new, b.doc) {
        score += 0.15;
    }
    let (shorter, longer) = {
        let (a, b) = (body_length(old) as f32, body_length(new) as f32);
        (a.min(b), a.max(b))
    };
    if longer > 0.0 && shorter / longer > 0.8 {
        score += 0.3 * (shorter / longer - 0.8) / 0.2;
    }
    // Values have no body: the same value under another name, in the same place.
    if longer == 0.0 && same_file && a.line.abs_diff(b.line) <= 2 && !runs(old) {
        score += 0.3;
    }
    if same_file && a.line.abs_diff(b.line) <= 3 {
        score += 0.07;
    }
    score
}

fn owner_prefix(sym: &Sym) -> &str {
    sym.qualified().strip_suffix(sym.name()).unwrap_or("")
}
