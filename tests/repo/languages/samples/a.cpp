#include <vector>
#include "x.hpp"
using namespace std;
namespace ns { namespace in {
// Holds.
template <class T> class Box : public Base { public: Box(); ~Box(); int go(int a) const { return 1; } int size; void decl(); bool operator==(const Box& o); };
struct P { void q() {} };
enum class Color { Red };
void Box::decl() {}
using Id = int;
} }
int ns::in::Box::other(int a) { return 1; }
template <typename T> T run(T a) { return a; }
