//! Tokens of known makers, which are recognized by their prefix.

/// The characters that follow the prefix of a known maker's token.
#[derive(Clone, Copy)]
enum Rest {
    /// At least this many characters, of which one is a digit or a capital: words joined by dashes have few of those.
    Mixed(usize),
    /// Exactly this many capitals and digits, and no small letter after them.
    Capitals(usize),
    /// Contains a run of at least this many letters and digits of several sorts. For example, 16 after `AIza`. No
    /// word in a name is that long.
    Piece(usize),
    /// Exactly this many hexadecimal digits.
    Hex(usize),
    /// Three parts with dots between, as in a signed token (JWT): `eyJhbGci….eyJzdWIi….SflKxw…`.
    Parts,
}

/// The prefixes of known makers' tokens, sorted.
const PREFIXES: &[(&str, Rest)] = &[
    ("ABIA", Rest::Capitals(16)),
    ("ACCA", Rest::Capitals(16)),
    ("AGE-SECRET-KEY-", Rest::Mixed(20)),
    ("AIza", Rest::Piece(16)),
    ("AKIA", Rest::Capitals(16)),
    ("ASIA", Rest::Capitals(16)),
    ("ATATT3x", Rest::Mixed(20)),
    ("EAACEdEose0cBA", Rest::Mixed(0)),
    ("EZAK", Rest::Piece(40)),
    ("GOCSPX-", Rest::Mixed(20)),
    ("NRAK-", Rest::Mixed(20)),
    ("PMAK-", Rest::Mixed(20)),
    ("SG.", Rest::Piece(16)),
    ("SK", Rest::Hex(32)),
    ("dapi", Rest::Hex(32)),
    ("dckr_oat_", Rest::Mixed(20)),
    ("dckr_pat_", Rest::Mixed(20)),
    ("discord.com/api/webhooks/", Rest::Mixed(20)),
    ("discordapp.com/api/webhooks/", Rest::Mixed(20)),
    ("doo_v1_", Rest::Piece(32)),
    ("dop_v1_", Rest::Piece(32)),
    ("dor_v1_", Rest::Piece(32)),
    ("dp.audit.", Rest::Piece(20)),
    ("dp.ct.", Rest::Piece(20)),
    ("dp.pt.", Rest::Piece(20)),
    ("dp.sa.", Rest::Piece(20)),
    ("dp.scim.", Rest::Piece(20)),
    ("dp.st.", Rest::Mixed(20)),
    ("eyJ", Rest::Parts),
    ("figd_", Rest::Mixed(20)),
    ("gho_", Rest::Piece(20)),
    ("ghp_", Rest::Piece(20)),
    ("ghr_", Rest::Piece(20)),
    ("ghs_", Rest::Piece(20)),
    ("ghu_", Rest::Piece(20)),
    ("github_pat_", Rest::Piece(16)),
    ("glagent-", Rest::Mixed(16)),
    ("glc_", Rest::Piece(20)),
    ("glcbt-", Rest::Mixed(16)),
    ("gldt-", Rest::Mixed(16)),
    ("glft-", Rest::Mixed(16)),
    ("glimt-", Rest::Mixed(16)),
    ("gloas-", Rest::Mixed(16)),
    ("glpat-", Rest::Mixed(16)),
    ("glptt-", Rest::Mixed(16)),
    ("glrt-", Rest::Mixed(16)),
    ("glsa_", Rest::Piece(20)),
    ("glsoat-", Rest::Mixed(16)),
    ("gsk_", Rest::Piece(20)),
    ("hf_", Rest::Piece(20)),
    ("hooks.slack.com/services/", Rest::Mixed(20)),
    ("hooks.slack.com/workflows/", Rest::Mixed(20)),
    ("hvb.", Rest::Mixed(20)),
    ("hvr.", Rest::Mixed(20)),
    ("hvs.", Rest::Mixed(20)),
    ("key-", Rest::Hex(32)),
    ("lin_api_", Rest::Piece(20)),
    ("npm_", Rest::Piece(20)),
    ("pscale_pw_", Rest::Mixed(20)),
    ("pscale_tkn_", Rest::Mixed(20)),
    ("pypi-", Rest::Piece(16)),
    ("r8_", Rest::Piece(20)),
    ("rk_live_", Rest::Piece(16)),
    ("rk_test_", Rest::Piece(16)),
    ("rubygems_", Rest::Piece(20)),
    ("shpat_", Rest::Piece(20)),
    ("shpca_", Rest::Piece(20)),
    ("shppa_", Rest::Piece(20)),
    ("shpss_", Rest::Piece(20)),
    ("sk-", Rest::Piece(16)),
    ("sk_live_", Rest::Piece(16)),
    ("sk_test_", Rest::Piece(16)),
    ("sntrys_", Rest::Piece(20)),
    ("sntryu_", Rest::Piece(20)),
    ("sq0atp-", Rest::Mixed(16)),
    ("sq0csp-", Rest::Mixed(20)),
    ("tfp_", Rest::Piece(20)),
    ("whsec_", Rest::Piece(16)),
    ("xapp-", Rest::Mixed(16)),
    ("xoxa-", Rest::Mixed(10)),
    ("xoxb-", Rest::Mixed(10)),
    ("xoxc-", Rest::Mixed(10)),
    ("xoxd-", Rest::Mixed(10)),
    ("xoxe-", Rest::Mixed(10)),
    ("xoxp-", Rest::Mixed(10)),
    ("xoxr-", Rest::Mixed(10)),
    ("xoxs-", Rest::Mixed(10)),
    ("ya29.", Rest::Mixed(20)),
];

/// No token of a known maker is shorter, and neither is the prefix of one that was cut off.
pub(super) const SHORTEST: usize = 8;
/// How many bytes after a prefix are looked at. Every longer token is recognized within these.
const LOOKED_AT: usize = 300;

/// The pairs of bytes with which a prefix begins, by [`pair_index`].
const BEGINS: [bool; 1 << 11] = {
    let mut table = [false; 1 << 11];
    let mut at = 0;
    while at < PREFIXES.len() {
        let prefix = PREFIXES[at].0.as_bytes();
        table[pair_index(prefix[0], prefix[1])] = true;
        at += 1;
    }
    table
};

const fn pair_index(first: u8, second: u8) -> usize {
    (first as usize * 37 + second as usize) & ((1 << 11) - 1)
}

/// Whether a prefix may begin with these two bytes. Nearly no word does.
pub(super) fn may_begin(first: u8, second: Option<&u8>) -> bool {
    second.is_some_and(|second| BEGINS[pair_index(first, *second)])
}

/// Returns where in a word, not before `from`, a known maker's token begins: at the word's start, or after a byte that
/// is no letter or digit.
pub(super) fn token_start(word: &str, from: usize, cut: bool) -> Option<usize> {
    let bytes = word.as_bytes();
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        if !before.is_ascii_alphanumeric() && may_begin(byte, bytes.get(at + 1)) {
            // Words have only ASCII characters.
            let rest = word.get(at..word.len().min(at + LOOKED_AT)).unwrap_or_default();
            if rest.len() >= SHORTEST && is_token(rest, cut) {
                return Some(at);
            }
        }
        before = byte;
    }
    None
}

fn is_token(word: &str, cut: bool) -> bool {
    let first = word.bytes().next().unwrap_or_default() as usize;
    let some = PREFIXES.get(FIRST[first]..FIRST[first + 1]).unwrap_or_default();
    some.iter().any(|(prefix, rest)| word.strip_prefix(prefix).is_some_and(|it| rest.fits(it, cut)))
}

/// For each byte, how many prefixes begin with a smaller one.
const FIRST: [usize; 257] = {
    let mut table = [0; 257];
    let mut at = 0;
    while at < PREFIXES.len() {
        table[PREFIXES[at].0.as_bytes()[0] as usize + 1] += 1;
        at += 1;
    }
    let mut byte = 1;
    while byte < 257 {
        table[byte] += table[byte - 1];
        byte += 1;
    }
    table
};

/// Whether a word is a Discord bot's token: its number, the time and a signature, with dots between.
pub(super) fn is_bot(word: &str) -> bool {
    let coded = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let mut parts = word.split('.');
    let mut part = |least: usize, most: usize| {
        parts.next().is_some_and(|part| (least..=most).contains(&part.len()) && coded(part))
    };
    word.starts_with(['M', 'N', 'O']) && part(24, 28) && part(6, 7) && part(27, 40) && parts.next().is_none()
}

/// Whether `text` from `start` is the second half of a Telegram bot's token, after its number and a colon.
pub(super) fn is_bot_key(text: &[u8], start: usize) -> bool {
    let Some((number, b":")) =
        text.get(..start).and_then(|before| before.split_at_checked(start.checked_sub(1)?))
    else {
        return false;
    };
    let key = text.get(start..).unwrap_or_default();
    let length =
        key.iter().take(36).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
    key.starts_with(b"AA")
        && length == 35
        && number.iter().rev().take(10).take_while(|b| b.is_ascii_digit()).count() >= 8
}

impl Rest {
    /// Whether `rest` may follow the prefix. If the text was `cut` off after it, whether `rest` may be the start of
    /// such a token.
    fn fits(self, rest: &str, cut: bool) -> bool {
        let telling = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        let is_hex = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if cut {
            let fits = !matches!(self, Self::Hex(_)) || rest.len() >= 8 && rest.as_bytes().iter().all(is_hex);
            return fits && rest.bytes().any(telling);
        }
        match self {
            Self::Mixed(least) => rest.len() >= least && (least == 0 || rest.bytes().any(telling)),
            Self::Capitals(count) => {
                let run = rest.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
                run == count && !rest.as_bytes().get(run).is_some_and(u8::is_ascii_lowercase)
            }
            Self::Hex(count) => {
                let run = rest.as_bytes().iter().take_while(|b| is_hex(b)).count();
                run == count && !rest.as_bytes().get(run).is_some_and(u8::is_ascii_alphanumeric)
            }
            Self::Piece(least) => rest
                .split(|c: char| !c.is_ascii_alphanumeric())
                .any(|piece| piece.len() >= least && piece.bytes().any(telling)),
            Self::Parts => rest.len() >= 30 && rest.contains('.'),
        }
    }
}
