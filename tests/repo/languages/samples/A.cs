using System;
using X = A.B.C;
namespace N.M {
/// <summary>Holds.</summary>
[Attr] public class A<T> : B, I { int size = 1; public int P { get; set; } public A(int a) {} public string Go(int a) => ""; delegate void D(); event E Ev; void Local() { void inner() {} } }
interface I { int Area(); }
struct S { void Q() {} }
enum Color { Red }
record R(int X);
}
