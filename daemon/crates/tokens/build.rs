//! Writes the vocabulary and the character classes as flat tables into `OUT_DIR`. They are included as bytes, so at
//! run time they are clean, file-backed pages that every process of this binary shares.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use regex_syntax::hir::{Class, HirKind};

#[path = "src/layout.rs"]
mod layout;

use layout::{BLOCK, RANK_BITS, SLOTS};

/// Tokens of the vocabulary, special ones apart.
const TOKENS: usize = 199_998;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    write_vocabulary(&out)?;
    write_classes(&out)
}

/// `text.bin`: the tokens end to end; `ends.bin`: where each ends; `slots.bin`: an open-addressing hash table of ranks.
fn write_vocabulary(out: &Path) -> Result<(), Box<dyn Error>> {
    let vocabulary = tiktoken_rs::o200k_base()?;
    let mut text = Vec::new();
    let mut ends = Vec::new();
    let mut slots = vec![0_u32; SLOTS];
    let mut longest = 0;
    for rank in 0_u32.. {
        // The ranks have no gap; the special tokens come after one.
        let Ok(token) = vocabulary.decode_bytes(&[rank]) else { break };
        longest = longest.max(token.len());
        let hash = layout::hash_token(&token);
        let mut at = layout::table_slot(hash);
        while slots[at] != 0 {
            at = (at + 1) % SLOTS;
        }
        slots[at] = (layout::hash_tag(hash) << RANK_BITS) | (rank + 1);
        text.extend_from_slice(&token);
        ends.push(u32::try_from(text.len())?);
    }
    if ends.len() != TOKENS || longest != layout::LONGEST {
        return Err(format!("the vocabulary has {} tokens of at most {longest} bytes", ends.len()).into());
    }
    fs::write(out.join("text.bin"), text)?;
    fs::write(out.join("ends.bin"), bytes_of(&ends))?;
    fs::write(out.join("slots.bin"), bytes_of(&slots))?;
    Ok(())
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `classes.bin`: one byte a character, in blocks without doubles; `blocks.bin`: the block of each stretch of characters.
fn write_classes(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut of_char = vec![0_u8; 0x11_0000];
    for (pattern, class) in [
        (r"[\p{Lu}\p{Lt}]", layout::UPPER),
        (r"\p{Ll}", layout::LOWER),
        (r"[\p{Lm}\p{Lo}]", layout::OTHER_LETTER),
        (r"\p{M}", layout::MARK),
        (r"\p{N}", layout::NUMBER),
        (r"\s", layout::SPACE),
        (r"[\r\n]", layout::NEWLINE),
    ] {
        let hir = regex_syntax::parse(pattern)?;
        let HirKind::Class(Class::Unicode(ranges)) = hir.kind() else {
            return Err(format!("{pattern} is not a class").into());
        };
        for range in ranges.iter() {
            for slot in &mut of_char[range.start() as usize..=range.end() as usize] {
                *slot |= class;
            }
        }
    }
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut index = Vec::new();
    for block in of_char.chunks(BLOCK) {
        let at = blocks.iter().position(|known| *known == block).unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(u8::try_from(at)?);
    }
    fs::write(out.join("classes.bin"), blocks.concat())?;
    fs::write(out.join("blocks.bin"), index)?;
    Ok(())
}
