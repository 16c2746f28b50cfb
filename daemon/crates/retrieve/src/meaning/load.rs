//! Models from files: texts of words and numbers, as GloVe and word2vec write them, and folders with a table of token
//! vectors (`model.safetensors`) and its tokens (`tokenizer.json`), as static embedding models come.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use super::table::Table;

/// More words than this are not read.
const MOST_WORDS: usize = 1_000_000;
/// Longer vectors are no word vectors.
const MOST_DIMENSIONS: usize = 2_048;
/// More numbers than this are not held: 1 GB.
const MOST_NUMBERS: usize = 256 << 20;
/// A longer line or header is no model.
const LONGEST_LINE: u64 = 1 << 20;
/// Most bytes of a list of tokens.
const MOST_TOKENIZER: u64 = 64 << 20;

type Loaded<T> = Result<T, String>;

/// Reads the model at a path.
pub(super) fn load_model(path: &Path) -> Loaded<Table> {
    let meta = std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let loaded = if meta.is_dir() { of_folder(path) } else { of_text(BufReader::new(open_file(path)?)) };
    loaded.map_err(|why| format!("{}: {why}", path.display()))
}

fn open_file(path: &Path) -> Loaded<File> {
    File::open(path).map_err(|error| error.to_string())
}

/// A word and its numbers on each line; a first line of two numbers only says how many.
fn of_text(mut lines: impl BufRead) -> Loaded<Table> {
    let mut rows = HashMap::new();
    let mut numbers: Vec<f32> = Vec::new();
    let mut dimensions = 0;
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let read = lines.by_ref().take(LONGEST_LINE).read_line(&mut line);
        if read.map_err(|error| format!("line {number}: {error}"))? == 0 {
            break;
        }
        let mut parts = line.split_ascii_whitespace();
        let Some(word) = parts.next() else { continue };
        let before = numbers.len();
        for part in parts {
            let value: f32 =
                part.parse().map_err(|_| format!("line {number} has something else than numbers"))?;
            numbers.push(if value.is_finite() { value } else { 0.0 });
        }
        let found = numbers.len() - before;
        if number == 1 && found == 1 {
            numbers.clear();
            continue;
        }
        if dimensions == 0 {
            dimensions = found;
        }
        if found == 0 || found != dimensions || dimensions > MOST_DIMENSIONS {
            return Err(format!("line {number} has {found} numbers, not {dimensions}"));
        }
        let row = (before / dimensions) as u32;
        rows.entry(word.to_lowercase().into_boxed_str()).or_insert(row);
        if rows.len() >= MOST_WORDS || numbers.len() >= MOST_NUMBERS {
            break;
        }
    }
    if rows.is_empty() {
        Err("it holds no words".to_owned())
    } else {
        Ok(Table::new(dimensions, rows, numbers, true))
    }
}

fn of_folder(folder: &Path) -> Loaded<Table> {
    let (dimensions, numbers) = read_tensor(
        open_file(&folder.join("model.safetensors")).map_err(|why| format!("model.safetensors: {why}"))?,
    )
    .map_err(|why| format!("model.safetensors: {why}"))?;
    let file = open_file(&folder.join("tokenizer.json")).map_err(|why| format!("tokenizer.json: {why}"))?;
    let tokens: Value = serde_json::from_reader(BufReader::new(file.take(MOST_TOKENIZER)))
        .map_err(|error| format!("tokenizer.json: {error}"))?;
    let count = numbers.len() / dimensions;
    let mut rows = HashMap::new();
    let mut add = |token: &str, row: u64| {
        if (row as usize) < count {
            rows.insert(token.into(), row as u32);
        }
    };
    match &tokens["model"]["vocab"] {
        Value::Object(vocab) => {
            vocab.iter().for_each(|(token, row)| add(token, row.as_u64().unwrap_or(u64::MAX)))
        }
        Value::Array(vocab) => {
            for (row, pair) in vocab.iter().enumerate() {
                add(pair[0].as_str().unwrap_or(""), row as u64);
            }
        }
        _ => return Err("tokenizer.json names no tokens".to_owned()),
    }
    if rows.is_empty() {
        Err("it holds no tokens".to_owned())
    } else {
        Ok(Table::new(dimensions, rows, numbers, false))
    }
}

/// The largest table of numbers in a file of tensors: how long its rows are, and all of them.
fn read_tensor(mut file: impl Read) -> Loaded<(usize, Vec<f32>)> {
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|error| error.to_string())?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_LINE {
        return Err("its header is too long".to_owned());
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).map_err(|error| error.to_string())?;
    let header: Value = serde_json::from_slice(&header).map_err(|error| error.to_string())?;
    let uint = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    let tables = header.as_object().into_iter().flatten().filter_map(|(_, entry)| {
        let [rows, columns] = entry["shape"].as_array()?.as_slice() else { return None };
        let (rows, columns, start) = (uint(rows)?, uint(columns)?, uint(&entry["data_offsets"][0])?);
        Some((rows.checked_mul(columns)?, columns, start, entry["dtype"].as_str()?))
    });
    let (count, columns, start, kind) = tables.max_by_key(|table| table.0).ok_or("it holds no table")?;
    if columns == 0 || columns > MOST_DIMENSIONS || count == 0 || count > MOST_NUMBERS {
        return Err(format!("a table of {count} numbers in rows of {columns} is no word vectors"));
    }
    let (width, read): (usize, fn(&[u8]) -> f32) = match kind {
        "F32" => (4, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        "F16" => (2, |b| decode_half(u16::from_le_bytes([b[0], b[1]]))),
        "BF16" => (2, |b| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16)),
        other => return Err(format!("numbers of type {other} are not known")),
    };
    std::io::copy(&mut file.by_ref().take(start as u64), &mut std::io::sink())
        .map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take((count * width) as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() < count * width {
        return Err("it ends too early".to_owned());
    }
    let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
    Ok((columns, bytes.chunks_exact(width).map(|chunk| finite(read(chunk))).collect()))
}

/// A half-precision number.
fn decode_half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 => 0.0,
        exponent => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Embedder;
    use super::*;

    #[test]
    fn texts() {
        let table = of_text("2 2\nuser 1 0\nAccount 0.5 0.5\n".as_bytes()).unwrap();
        assert_eq!(table.dimensions(), 2);
        assert!(table.embed("account", &mut [0.0; 2]));
        for (text, why) in [
            ("", "no words"),
            ("a 1 2\nb 1\n", "line 2 has 1 numbers, not 2"),
            ("a x y\n", "line 1 has something else"),
        ] {
            assert!(of_text(text.as_bytes()).err().unwrap().contains(why), "{text}");
        }
    }

    #[test]
    fn tensors() {
        let header = r#"{"__metadata__":{"a":"b"},"e":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        for bits in [0x3c00_u16, 0xc000, 0x3800, 0x0000] {
            file.extend(bits.to_le_bytes());
        }
        assert_eq!(read_tensor(file.as_slice()).unwrap(), (2, vec![1.0, -2.0, 0.5, 0.0]));
        assert_eq!(read_tensor(&file[..file.len() - 1]).err().unwrap(), "it ends too early");
        assert!(read_tensor(&[255_u8; 9][..]).is_err());
    }
}
