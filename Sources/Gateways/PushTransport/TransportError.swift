internal import PushSystem

/// An error that prevents this target from performing a call: a wrong setting or a lack of memory. Events of
/// a connection or a request are never thrown; they are delivered as a ``CloseCause`` or an ``HTTP2Outcome``.
package struct TransportError: Error, CustomStringConvertible, Sendable {
    package enum Cause: Sendable, Equatable {
        /// libcurl could not be set up, or its multi handle failed.
        case curl(what: String, text: String)
        /// An invalid setting: its value, and the allowed values.
        case setting(String)
        /// A certificate, key or .p12 that is not usable.
        case identity(IdentityError)
        case outOfMemory(what: String)
        /// The epoll descriptor, which waits for other descriptors, could not be created.
        case readiness(errorNumber: Int32)
    }
    package let cause: Cause
    package init(_ cause: Cause) { self.cause = cause }

    package var description: String {
        switch cause {
        case .curl(let what, let text): "libcurl: \(what): \(text)"
        case .setting(let text): text
        case .identity(let failure): failure.description
        case .outOfMemory(let what): "out of memory for \(what)"
        case .readiness(let number): "epoll: \(SystemErrorText.of(number))"
        }
    }
}
