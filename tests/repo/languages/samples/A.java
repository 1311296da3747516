package a.b;
import java.util.List;
import static a.b.C.*;
/** Holds. */
@X
public class A<T> extends B implements I {
  private int size = 1, other;
  /** Makes. */
  public A(int a) {}
  @Override public String go(int a) { return ""; }
  interface In { int area(); }
  enum Color { RED; void f() {} }
  record P(int x) { void q() {} }
}
@interface Ann { String value(); }
