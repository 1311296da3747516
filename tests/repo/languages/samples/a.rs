use std::collections::{HashMap, hash_map::Entry as E};
use crate::a::*;
mod inner;
mod here { pub fn f() {} }
/// Holds.
pub struct Box { size: i32 }
enum Color { Red }
trait Shape { fn area(&self) -> i32; fn def(&self) {} }
impl Shape for Box { fn area(&self) -> i32 { 1 } }
impl<T> Vec2<T> { pub fn new() -> Self { } }
const LIMIT: i32 = 3;
static S: i32 = 1;
type Id = u32;
macro_rules! m { () => {} }
pub async fn run(a: i32) -> i32 { fn nested() {} 1 }
