require 'json'
require_relative 'x/y'
# Holds.
module M
  class A < B
    LIMIT = 3
    attr_reader :size
    # Goes.
    def go(a, b: 1)
    end
    def self.make; end
    class << self
      def other; end
    end
  end
  class M::Q; end
end
def run; end
