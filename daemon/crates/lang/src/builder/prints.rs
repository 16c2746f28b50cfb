//! Fingerprints: hashes of a definition's content.

use sdl_model::facts::DefIx;

use super::Builder;

impl Builder<'_> {
    /// Sets the fingerprints of `def`, which is complete; `inner` are the spans of the definitions in it that have
    /// their own fingerprints, in order.
    pub(super) fn set_fingerprints(&mut self, def: DefIx, inner: &[(u32, u32)]) {
        let (span, body_start) = (self.def(def).span, self.def(def).body_start);
        let text = self.fingerprint_of(span.start, span.end, inner);
        let hash = |from: u32| self.tokens.hash(self.bytes, from..span.end, inner, &self.docs);
        let tokens = hash(span.start);
        let body = body_start.and_then(hash).unwrap_or(0);
        let def = self.def_mut(def);
        def.fingerprint = text;
        // A definition in a comment has no tokens.
        def.tokens = tokens.unwrap_or(text);
        def.body_tokens = body;
    }

    /// Hashes the bytes from `start` to `end` without the spans of `inner` (in order), each piece without the white
    /// space around it, so that moving definitions changes nothing.
    fn fingerprint_of(&self, start: u32, end: u32, inner: &[(u32, u32)]) -> u64 {
        let mut hasher = blake3::Hasher::new();
        let mut at = start;
        let mut piece = |from: u32, to: u32| {
            let bytes = self.bytes.get(from as usize..to as usize).unwrap_or_default().trim_ascii();
            if !bytes.is_empty() {
                hasher.update(bytes).update(b"\n");
            }
        };
        for &(from, to) in inner {
            if from > at {
                piece(at, from);
            }
            at = at.max(to);
        }
        piece(at, end.max(at));
        let mut out = [0; 8];
        out.copy_from_slice(hasher.finalize().as_bytes().first_chunk::<8>().unwrap_or(&[0; 8]));
        u64::from_be_bytes(out)
    }
}
