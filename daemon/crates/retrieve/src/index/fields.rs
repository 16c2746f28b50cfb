//! Turns one file's facts into postings.
//!
//! Every symbol is a document of seven fields. A term's impact is its weighted, length-normalized frequency over the
//! fields, saturated (BM25F with fixed average lengths), because then a posting depends on this file alone.

use std::collections::HashMap;

use sdl_ledger::{FilePostings, TermHit};
use sdl_model::facts::{Arena, Def, DefFlags, DefIx, Expr, ExprIx, StrIx};
use sdl_model::{Body, FileId, Outline, RelPath, SymbolKind};

use super::flags::{Flags, Place};
use super::words;

/// The first character of the term for a symbol's whole simple name in lower case, such as `=parsehttpheader`. No
/// word contains it.
pub(crate) const EXACT: char = '=';
/// The limit of a term's impact, which larger frequencies approach. Finer steps would take a byte more for each posting, and find
/// nothing that these don't.
pub(crate) const IMPACT_ONE: f32 = 255.0;
/// How fast impact saturates.
const K1: f32 = 1.1;
/// Most postings of one symbol, its exact name apart.
const MOST_TERMS: usize = 128;
/// Most bytes of a term.
const LONGEST_TERM: usize = 64;

/// The fields of a symbol's document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Owner,
    Path,
    Signature,
    Doc,
    /// The names that its body mentions.
    Body,
    /// The words of comments and text literals in it.
    Text,
}

impl Field {
    /// Whether its texts are in the arena of the body, not in that of the outline.
    fn is_of_body(self) -> bool {
        matches!(self, Self::Body | Self::Text)
    }

    fn arena<'f>(self, outline: &'f Outline, body: &'f Body) -> &'f Arena {
        if self.is_of_body() { &body.arena } else { &outline.arena }
    }
}

/// Weight, fixed average length in terms, strength of length normalization, in the order of [`Field`].
const FIELDS: [(f32, f32, f32); 7] = [
    (4.0, 2.0, 0.5),
    (1.0, 2.0, 0.5),
    (0.8, 5.0, 0.3),
    (1.0, 5.0, 0.6),
    (0.8, 12.0, 0.6),
    (1.8, 25.0, 0.3),
    (1.5, 20.0, 0.4),
];

/// The postings of one file: a pure function of its path and its facts.
pub fn file_postings(path: &RelPath, file: FileId, outline: &Outline, body: &Body) -> FilePostings {
    let documents = Documents::new(path, file, outline, body);
    let mut writer = Writer::new(&documents);
    for (ix, _) in outline.iter() {
        writer.add_postings(ix);
    }
    writer.into_postings()
}

/// The documents of a file's definitions.
pub(super) struct Documents<'f> {
    path: &'f RelPath,
    file: FileId,
    pub(super) outline: &'f Outline,
    body: &'f Body,
    /// The names that each definition mentions.
    mentions: Mentions,
    /// The comments and literals in each.
    prose: Mentions,
    place: Place,
}

/// A text of a document.
#[derive(Clone, Copy)]
pub(super) struct Said {
    field: Field,
    text: StrIx,
}

impl<'f> Documents<'f> {
    pub(super) fn new(path: &'f RelPath, file: FileId, outline: &'f Outline, body: &'f Body) -> Self {
        let homes = mention_owners(outline);
        let mentions = collect_mentions(outline, body, &homes);
        let said = body.prose.iter().map(|said| (said.scope, said.text));
        let prose = Mentions::of_pairs(outline, &homes, said);
        Self { path, file, outline, body, mentions, prose, place: Place::of(path.as_str()) }
    }

    /// The texts of the document of `ix`, in order; the file's path is in no list.
    pub(super) fn texts(&self, ix: DefIx, def: &Def, texts: &mut Vec<Said>) {
        texts.clear();
        let part = part_of(def);
        let mut add = |field, text| texts.push(Said { field, text });
        if def.kind != SymbolKind::Module {
            add(Field::Name, def.name);
        }
        if part != Part::Name {
            // The owners' names: the part of the qualified name without the name.
            add(Field::Owner, def.qualified);
            def.doc.into_iter().for_each(|doc| add(Field::Doc, doc));
        }
        if part != Part::All {
            return;
        }
        for param in &def.params {
            add(Field::Signature, param.name);
            param.ty_text.into_iter().for_each(|ty| add(Field::Signature, ty));
        }
        for text in def.ret_text.iter().chain(&def.invariants) {
            add(Field::Signature, *text);
        }
        for base in &def.bases {
            if let Some(name) = last_name(&self.outline.arena, base.ty) {
                add(Field::Signature, name);
            }
        }
        self.prose.of(ix).iter().for_each(|said| add(Field::Text, *said));
        self.mentions.of(ix).iter().for_each(|mention| add(Field::Body, *mention));
    }

    fn text(&self, said: Said) -> &'f str {
        said.field.arena(self.outline, self.body).str(said.text)
    }

    /// Whether the definition `ix` has the same postings as `old_ix` of the same file in another state: all that they are made
    /// of is the same. `texts` is space to work in.
    pub(super) fn is_same(
        &self,
        (ix, def): (DefIx, &Def),
        old: &Documents<'_>,
        (old_ix, old_def): (DefIx, &Def),
        [texts, old_texts]: &mut [Vec<Said>; 2],
    ) -> bool {
        let flags = |def: &Def, place| Flags::of(def, place).0;
        if part_of(def) != part_of(old_def)
            || def.kind != old_def.kind
            || flags(def, self.place) != flags(old_def, old.place)
        {
            return false;
        }
        if part_of(def) == Part::Nothing {
            return true;
        }
        self.texts(ix, def, texts);
        old.texts(old_ix, old_def, old_texts);
        texts.len() == old_texts.len()
            && texts
                .iter()
                .zip(old_texts.iter())
                .all(|(new, was)| new.field == was.field && self.text(*new) == old.text(*was))
    }
}

/// Makes the postings of a file's definitions, one after the other.
pub(super) struct Writer<'d, 'f> {
    documents: &'d Documents<'f>,
    terms: Terms,
    path_terms: Vec<u32>,
    /// The terms of the texts of the outline and of the body.
    memos: [Memo; 2],
    document: Document,
    texts: Vec<Said>,
    hits: Vec<(u32, TermHit)>,
}

impl<'d, 'f> Writer<'d, 'f> {
    pub(super) fn new(documents: &'d Documents<'f>) -> Self {
        let mut terms = Terms::default();
        let path_terms = terms.of_path(documents.path);
        let memos =
            [&documents.outline.arena, &documents.body.arena].map(|arena| Memo::new(arena.strings.len()));
        let document = Document::default();
        Self { documents, terms, path_terms, memos, document, texts: Vec::new(), hits: Vec::new() }
    }

    /// The postings that were made.
    pub(super) fn into_postings(self) -> FilePostings {
        FilePostings { terms: self.terms.texts, hits: self.hits }
    }

    /// Makes the postings of the definition `ix`.
    pub(super) fn add_postings(&mut self, ix: DefIx) {
        let Self { documents, terms, path_terms, memos, document, texts, hits } = self;
        let [outline_texts, body_texts] = memos;
        let Documents { path, file, outline, body, place, .. } = *documents;
        let Some(def) = outline.def(ix).filter(|def| part_of(def) != Part::Nothing) else { return };
        document.clear();
        if def.kind == SymbolKind::Module {
            terms.each(path.stem(), &mut |term| document.add(Field::Name, term));
        }
        documents.texts(ix, def, texts);
        for Said { field, text } in &*texts {
            let memo = if field.is_of_body() { &mut *body_texts } else { &mut *outline_texts };
            let said = memo.terms(terms, field.arena(outline, body), *text);
            if matches!(field, Field::Owner) {
                for term in said {
                    if !document.has(term) {
                        document.add(*field, term);
                    }
                }
            } else {
                document.add_all(*field, said);
            }
        }
        if part_of(def) == Part::All {
            for &term in &*path_terms {
                document.add(Field::Path, term);
            }
        }
        let symbol = file.symbol(def.key);
        let flags = Flags::of(def, *place);
        let words = document.distinct(Field::Name);
        for (term, impact, places) in document.best(terms) {
            hits.push((term, TermHit { symbol, impact, flags: flags.of_term(places, words).0 }));
        }
        let name = if def.kind == SymbolKind::Module { path.stem() } else { outline.str(def.name) };
        if let Some(term) = exact_term(name) {
            let impact = (flags.prior() * IMPACT_ONE).round() as u8;
            // Rarely has another definition the same name, so nothing looks for it among the terms.
            hits.push((terms.texts.len() as u32, TermHit { symbol, impact, flags: flags.0 }));
            terms.texts.push(term.into());
        }
    }
}

/// The term for a whole name, if it has one. Names too long for a term share that of their beginning.
pub(crate) fn exact_term(name: &str) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    let mut term = String::with_capacity(name.len() + 1);
    term.push(EXACT);
    for c in name.chars().map(words::lower_char) {
        if term.len() + c.len_utf8() > LONGEST_TERM {
            break;
        }
        term.push(c);
    }
    Some(term)
}

/// The part of a definition that is indexed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    /// Values: name, owners, documentation.
    Value,
    /// The name of a definition inside a function. The rest counts for the function.
    Name,
    Nothing,
}

fn part_of(def: &Def) -> Part {
    indexed_part(def.kind, def.flags)
}

/// Whether a definition has postings, so that searches find it.
pub(crate) fn is_indexed(kind: SymbolKind, flags: DefFlags) -> bool {
    indexed_part(kind, flags) != Part::Nothing
}

/// Whether a definition is found by the names of its owners too.
pub(crate) fn has_owners(kind: SymbolKind, flags: DefFlags) -> bool {
    matches!(indexed_part(kind, flags), Part::All | Part::Value)
}

fn indexed_part(kind: SymbolKind, flags: DefFlags) -> Part {
    let local = flags.has(DefFlags::LOCAL);
    match kind {
        SymbolKind::Impl => Part::Nothing,
        kind if kind.is_callable() || kind.is_type() => {
            if local {
                Part::Name
            } else {
                Part::All
            }
        }
        SymbolKind::Module | SymbolKind::Namespace => Part::All,
        _ if local => Part::Nothing,
        _ => Part::Value,
    }
}

/// For each definition, the definition (itself or one around it) that its mentions count for.
fn mention_owners(outline: &Outline) -> Vec<DefIx> {
    let mut homes: Vec<DefIx> = Vec::with_capacity(outline.defs.len());
    for (ix, def) in outline.iter() {
        // Outer definitions are before inner ones.
        let outer = def.parent.and_then(|parent| homes.get(parent.0 as usize)).copied();
        homes.push(if part_of(def) == Part::All { ix } else { outer.unwrap_or(DefIx::MODULE) });
    }
    homes
}

/// The texts of a body by the definition that they count for.
struct Mentions {
    starts: Vec<u32>,
    names: Vec<StrIx>,
}

impl Mentions {
    /// Sorts texts by the definition that they count for.
    fn of_pairs(
        outline: &Outline,
        homes: &[DefIx],
        pairs: impl Iterator<Item = (DefIx, StrIx)> + Clone,
    ) -> Self {
        let home = |scope: DefIx| homes.get(scope.0 as usize).map_or(0, |home| home.0 as usize);
        // A counting sort by definition.
        let mut starts = vec![0_u32; outline.defs.len() + 1];
        for (scope, _) in pairs.clone() {
            if let Some(count) = starts.get_mut(home(scope) + 1) {
                *count += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut names = vec![StrIx(0); starts.last().map_or(0, |end| *end as usize)];
        for (scope, name) in pairs {
            let at = home(scope);
            if let Some(place) = next.get_mut(at).filter(|_| at + 1 < starts.len()) {
                names[*place as usize] = name;
                *place += 1;
            }
        }
        Self { starts, names }
    }

    fn of(&self, ix: DefIx) -> &[StrIx] {
        let at = ix.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => self.names.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

fn collect_mentions(outline: &Outline, body: &Body, homes: &[DefIx]) -> Mentions {
    let refs = body.refs.iter().map(|r| (r.scope, r.name));
    Mentions::of_pairs(outline, homes, refs.chain(body.bindings.iter().map(|b| (b.scope, b.name))))
}

fn last_name(arena: &Arena, mut ix: ExprIx) -> Option<StrIx> {
    loop {
        match arena.expr(ix) {
            Expr::Name(name) | Expr::Attr(_, name) | Expr::Path(_, name) => return Some(*name),
            // Expressions refer only to those before them, so this ends.
            Expr::Generic(base, _) if base.0 < ix.0 => ix = *base,
            _ => return None,
        }
    }
}

/// Values by text, with a hasher that is quick on short ones: every word of a tree is looked up.
type TextMap<T> = HashMap<Box<str>, T, foldhash::fast::RandomState>;

/// The terms of one file, by number. The term of a word is worked out once, however often it occurs.
#[derive(Default)]
struct Terms {
    /// The words as written, with their term's number. None for words that are not terms.
    of_word: TextMap<Option<u32>>,
    numbers: TextMap<u32>,
    texts: Vec<Box<str>>,
    word: String,
    stem: String,
}

impl Terms {
    fn text(&self, term: u32) -> &str {
        self.texts.get(term as usize).map_or("", |text| text)
    }

    fn each(&mut self, text: &str, each: &mut dyn FnMut(u32)) {
        let Self { of_word, numbers, texts, word, stem } = self;
        words::split_words(text, word, &mut |word| {
            let number = of_word.get(word).copied().unwrap_or_else(|| {
                let number = words::word_term(word, stem).map(|term| {
                    numbers.get(term).copied().unwrap_or_else(|| {
                        let number = texts.len() as u32;
                        texts.push(term.into());
                        numbers.insert(term.into(), number);
                        number
                    })
                });
                of_word.insert(word.into(), number);
                number
            });
            if let Some(number) = number {
                each(number);
            }
        });
    }

    /// The terms of a file's folders and stem, without duplicates.
    fn of_path(&mut self, path: &RelPath) -> Vec<u32> {
        let mut found = Vec::new();
        let dir = path.dir().rsplit('/').take(4);
        for part in std::iter::once(path.stem()).chain(dir) {
            self.each(part, &mut |term| {
                if !found.contains(&term) {
                    found.push(term);
                }
            });
        }
        found
    }
}

/// The terms of an arena's texts; each text is split once however often it is mentioned.
struct Memo {
    ranges: Vec<Option<(u32, u32)>>,
    terms: Vec<u32>,
}

impl Memo {
    fn new(texts: usize) -> Self {
        Self { ranges: vec![None; texts], terms: Vec::new() }
    }

    fn terms(&mut self, all: &mut Terms, arena: &Arena, ix: StrIx) -> impl Iterator<Item = u32> + use<'_> {
        let known = self.ranges.get(ix.0 as usize).copied().flatten();
        let (start, end) = known.unwrap_or_else(|| {
            let start = self.terms.len() as u32;
            all.each(arena.str(ix), &mut |term| self.terms.push(term));
            let range = (start, self.terms.len() as u32);
            if let Some(slot) = self.ranges.get_mut(ix.0 as usize) {
                *slot = Some(range);
            }
            range
        });
        self.terms.get(start as usize..end as usize).unwrap_or_default().iter().copied()
    }
}

/// One symbol's fields.
#[derive(Default)]
struct Document {
    lengths: [u32; FIELDS.len()],
    counts: Vec<(u32, [u16; FIELDS.len()])>,
    /// For each term of the file: its place in `counts` plus one, if `epoch` is this document's.
    places: Vec<(u32, u32)>,
    epoch: u32,
}

impl Document {
    fn clear(&mut self) {
        self.lengths = Default::default();
        self.counts.clear();
        self.epoch += 1;
    }

    fn has(&self, term: u32) -> bool {
        self.places.get(term as usize).is_some_and(|place| place.0 == self.epoch)
    }

    fn add_all(&mut self, field: Field, terms: impl Iterator<Item = u32>) {
        for term in terms {
            self.add(field, term);
        }
    }

    fn add(&mut self, field: Field, term: u32) {
        let at = term as usize;
        if at >= self.places.len() {
            self.places.resize(at + 64, (0, 0));
        }
        if self.places[at].0 != self.epoch {
            self.places[at] = (self.epoch, self.counts.len() as u32);
            self.counts.push((term, Default::default()));
        }
        let count = &mut self.counts[self.places[at].1 as usize].1[field as usize];
        *count = count.saturating_add(1);
        self.lengths[field as usize] += 1;
    }

    /// The number of different terms in a field.
    fn distinct(&self, field: Field) -> usize {
        self.counts.iter().filter(|(_, counts)| counts[field as usize] > 0).count()
    }

    /// The terms with the greatest impact, and whether each is in the name, in the owners' names, in the path.
    fn best(&mut self, terms: &Terms) -> impl Iterator<Item = (u32, u8, [bool; 3])> + use<'_> {
        let mut scale = [0.0_f32; FIELDS.len()];
        for (i, (weight, average, strength)) in FIELDS.into_iter().enumerate() {
            scale[i] = weight / (1.0 - strength + strength * self.lengths[i] as f32 / average);
        }
        let impact = move |counts: &[u16; FIELDS.len()]| {
            let frequency: f32 =
                counts.iter().zip(scale).map(|(count, scale)| f32::from(*count) * scale).sum();
            ((frequency / (K1 + frequency) * IMPACT_ONE).round() as u8).max(1)
        };
        if self.counts.len() > MOST_TERMS {
            // By text among equals, because the numbers depend on the order in which texts were read.
            self.counts.sort_unstable_by(|(a, a_counts), (b, b_counts)| {
                impact(b_counts).cmp(&impact(a_counts)).then_with(|| terms.text(*a).cmp(terms.text(*b)))
            });
            self.counts.truncate(MOST_TERMS);
        }
        self.counts.iter().map(move |(term, counts)| {
            let places = [Field::Name, Field::Owner, Field::Path].map(|field| counts[field as usize] > 0);
            (*term, impact(counts), places)
        })
    }
}
