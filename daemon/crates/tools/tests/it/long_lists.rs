//! Lists of more tools than fit on a page.

use sdl_proto::code;
use sdl_tools::{Names, Origin, Surface};
use serde_json::{Value, json};

use crate::common::World;

fn world(count: usize) -> World {
    let world = World::shop();
    world.configure(&json!({"mcpServers": {"many": {"command": "many", "sdl": {"mode": "passthrough"}}}}));
    world.lists("many", &tools(count));
    world
}

fn tools(count: usize) -> Value {
    (0..count).map(|at| json!({"name": format!("tool{at:05}"), "inputSchema": {"type": "object"}})).collect()
}

fn page(world: &World, cursor: Option<&Value>) -> Result<Value, &'static str> {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor })).to_string();
    let page = world.tools.list_page(&world.session, &Origin::default(), params.as_bytes());
    page.map(|page| serde_json::from_slice(&page).unwrap()).map_err(|error| error.code)
}

fn whole(world: &World) -> Vec<u8> {
    world.tools.list(&world.session, Surface::default(), false, Names::Underscored)
}

#[test]
fn the_pages_of_a_list_are_the_list() {
    for count in [0, 900, 2_500] {
        let world = world(count);
        let (mut all, mut cursor, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = page(&world, cursor.as_ref()).unwrap();
            let tools = page["tools"].as_array().unwrap();
            assert!(tools.len() <= 1_000);
            all.extend(tools.iter().cloned());
            pages += 1;
            cursor = page.get("nextCursor").cloned();
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(json!({ "tools": all }).to_string().as_bytes(), whole(&world));
        assert_eq!(pages, all.len().div_ceil(1_000));
        if pages == 1 {
            let first = world.tools.list_page(&world.session, &Origin::default(), b"{}").unwrap();
            assert_eq!(first, whole(&world));
        }
    }
}

#[test]
fn a_cursor_is_good_while_the_list_is_the_same() {
    let world = world(1_500);
    let cursor = page(&world, None).unwrap()["nextCursor"].clone();
    let second = page(&world, Some(&cursor)).unwrap();
    // A reading that brings the same list changes nothing.
    world.lists("many", &tools(1_500));
    assert_eq!(page(&world, Some(&cursor)).unwrap(), second);
    world.lists("many", &tools(1_499));
    assert_eq!(page(&world, Some(&cursor)), Err(code::INVALID_PARAMS));
    assert_eq!(page(&world, Some(&json!("next"))), Err(code::INVALID_PARAMS));
}
