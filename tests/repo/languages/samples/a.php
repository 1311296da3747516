<?php
namespace A\B;
use C\D as E;
use F\{G, H};
require 'x.php';
/** Holds. */
abstract class A extends B implements I {
  const LIMIT = 3;
  private int $size = 1;
  /** Goes. */
  public static function go(int $a): string { return ''; }
}
interface I { function area(); }
trait T { function t() {} }
enum Color { case Red; function c() {} }
function run($a) {}
const X = 1;
