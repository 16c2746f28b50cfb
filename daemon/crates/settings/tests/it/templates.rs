//! Texts with variables.

use sdl_settings::{Found, Lookup, Origin, Secret, SessionLookup, Template};

/// Knows `TOKEN` from a file, `HELPED` from a helper, and some variables of an environment.
struct Known;

impl Lookup for Known {
    fn find_value(&self, name: &str) -> Result<Option<Found>, String> {
        let (value, origin) = match name {
            "TOKEN" => ("s3cret-value", Origin::File),
            "HELPED" => ("helped-value", Origin::Helper),
            "HOME" => ("/home/me", Origin::Environment),
            "GITHUB_TOKEN" => ("from-environment", Origin::Environment),
            "EMPTY" => ("", Origin::Environment),
            "SHORT_KEY" => ("1", Origin::Environment),
            "BROKEN" => return Err("is in a file that others can read".to_owned()),
            _ => return Ok(None),
        };
        Ok(Some(Found { value: Secret::new(value.to_owned()), origin }))
    }
}

fn resolve(text: &str) -> Result<(String, String, Vec<String>), String> {
    let resolved = Template::parse(text).unwrap().resolve(&Known).map_err(|error| error.to_string())?;
    let names = resolved.secrets().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(resolved.is_public(), resolved.secrets().count() == 0);
    Ok((resolved.expose().to_owned(), resolved.masked().to_owned(), names))
}

#[test]
fn values_are_put_in() {
    for (text, value, masked, secrets) in [
        ("plain $HOME } { $", "plain $HOME } { $", "plain $HOME } { $", &[][..]),
        ("${HOME}/x", "/home/me/x", "/home/me/x", &[]),
        ("${env:HOME}${input:HOME}", "/home/me/home/me", "/home/me/home/me", &[]),
        ("Bearer ${TOKEN}", "Bearer s3cret-value", "Bearer ***", &["TOKEN"]),
        ("${HELPED}-${TOKEN}", "helped-value-s3cret-value", "***-***", &["HELPED", "TOKEN"]),
        ("${GITHUB_TOKEN}", "from-environment", "***", &["GITHUB_TOKEN"]),
        ("${SHORT_KEY}", "1", "1", &[]),
        ("${NONE:-a b}", "a b", "a b", &[]),
        ("${NONE:-}", "", "", &[]),
        ("${EMPTY:-x}${EMPTY}", "x", "x", &[]),
        ("${HOME:-x}", "/home/me", "/home/me", &[]),
        ("$${HOME} $$${HOME}", "${HOME} $${HOME}", "${HOME} $${HOME}", &[]),
        ("", "", "", &[]),
    ] {
        let secrets = secrets.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(resolve(text), Ok((value.to_owned(), masked.to_owned(), secrets)), "{text}");
    }
}

#[test]
fn a_variable_without_a_value_is_named() {
    let error = resolve("x ${input:my-key}").unwrap_err();
    assert!(error.starts_with("${my-key} is not set: store it with `sdlctl cred set my-key`"), "{error}");
    assert_eq!(resolve("${BROKEN:-x}").unwrap_err(), "${BROKEN} is in a file that others can read");
}

#[test]
fn a_brace_that_begins_no_variable_is_refused() {
    for text in ["${", "${}", "${A", "${1A}", "${A B}", "${config:x}", "${A:=x}", "${A:-${B}}", "${../A}"] {
        assert!(Template::parse(text).is_err(), "{text}");
    }
}

#[test]
fn values_do_not_grow_without_a_bound() {
    struct Large;
    impl Lookup for Large {
        fn find_value(&self, _: &str) -> Result<Option<Found>, String> {
            Ok(Some(Found { value: Secret::new("x".repeat(100_000)), origin: Origin::Environment }))
        }
    }
    let error = Template::parse("${A}${B}${C}").unwrap().resolve(&Large).map(|_| ()).unwrap_err();
    assert_eq!((error.name.as_str(), error.why.as_str()), ("C", "makes the value longer than 262144 bytes"));
}

#[test]
fn folders_of_a_session_are_known_to_its_lookup() {
    let template = Template::parse("${SESSION_ROOT}/${SESSION_CWD}${HOME}").unwrap();
    let both = SessionLookup { inner: &Known, root: Some("/r"), cwd: Some("c") };
    assert!(template.resolve(&both).is_ok_and(|value| value.expose() == "/r/c/home/me"));
    let none = SessionLookup { inner: &Known, root: None, cwd: None };
    let error = template.resolve(&none).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "${SESSION_ROOT} is not known, because the session has no repository");
}

#[test]
fn nothing_of_a_template_is_in_its_debug_form() {
    let text = format!("{:?}", Template::parse("ghp_0123456789").unwrap());
    assert_eq!(text, "Template(***)");
}
