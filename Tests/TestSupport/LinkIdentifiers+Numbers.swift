package import PushModel

// Tests write accounts, grants and jobs as plain numbers and iterate over them. The product never does.

extension LinkIdentifier {
    package init(_ number: some BinaryInteger) { self.init(rawValue: UInt32(number)) }
    package init(integerLiteral value: UInt32) { self.init(rawValue: value) }
    package func distance(to other: Self) -> Int { Int(other.rawValue) - Int(rawValue) }
    package func advanced(by count: Int) -> Self { Self(Int(rawValue) + count) }
    package static func += (left: inout Self, right: Int) { left = left.advanced(by: right) }
    package static func - (left: Self, right: Int) -> Self { left.advanced(by: -right) }
}

extension AccountID: ExpressibleByIntegerLiteral, Strideable {}
extension GrantID: ExpressibleByIntegerLiteral, Strideable {}
extension JobID: ExpressibleByIntegerLiteral, Strideable {}
