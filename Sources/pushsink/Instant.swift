internal import CSinkShims

/// A moment of the monotonic clock, in nanoseconds.
package struct Instant: Comparable, Hashable, Sendable {
    package var nanoseconds: UInt64
    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static var now: Instant { Instant(nanoseconds: push_sink_monotonic_nanoseconds()) }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    package static func + (left: Instant, right: Span) -> Instant {
        Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
    }
    /// How much later this is than `earlier`; nothing where it is not.
    package func since(_ earlier: Instant) -> Span {
        Span(nanoseconds: nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0)
    }

    /// A length of time.
    package struct Span: Comparable, Hashable, Sendable {
        package var nanoseconds: UInt64
        package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

        package static let zero = Span(nanoseconds: 0)
        package static func milliseconds(_ count: UInt64) -> Span { Span(nanoseconds: count &* 1_000_000) }
        package static func seconds(_ count: UInt64) -> Span { Span(nanoseconds: count &* 1_000_000_000) }
        package static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
        package static func + (left: Span, right: Span) -> Span {
            Span(nanoseconds: left.nanoseconds &+ right.nanoseconds)
        }

        package var seconds: Double { Double(nanoseconds) / 1e9 }
    }
}

/// The wall clock in milliseconds since 1970: what logs, token ages and the `timestamp` of a 410 are told in.
package func wallMilliseconds() -> UInt64 { push_sink_wall_nanoseconds() / 1_000_000 }
