internal import PushSystem

/// What stops this target from doing as told: a wrong setting or a want of memory. What happens to a
/// connection or a request is never thrown: it is delivered, as a ``CloseCause`` or an ``HTTP2Ending``.
package struct TransportError: Error, CustomStringConvertible, Sendable {
    package enum Cause: Sendable, Equatable {
        /// libcurl could not be set up, or its multi handle failed.
        case curl(what: String, text: String)
        /// A setting that cannot be: what, and what is allowed.
        case setting(String)
        /// A certificate, key or .p12 that cannot be used.
        case identity(IdentityTrouble)
        case outOfMemory(what: String)
        /// No descriptor could be had to wait for others with.
        case readiness(errorNumber: Int32)
    }
    package let cause: Cause
    package init(_ cause: Cause) { self.cause = cause }

    package var description: String {
        switch cause {
        case .curl(let what, let text): "libcurl: \(what): \(text)"
        case .setting(let text): text
        case .identity(let trouble): trouble.description
        case .outOfMemory(let what): "out of memory for \(what)"
        case .readiness(let number): "epoll: \(SystemErrorText.of(number))"
        }
    }
}
