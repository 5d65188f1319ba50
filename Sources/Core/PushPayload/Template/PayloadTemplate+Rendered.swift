package import PushModel

/// Payloads as bytes of their own, for previews, proofs and requests that are few.
extension PayloadTemplate {
    /// What became of one payload.
    package enum Rendered: Equatable, Sendable {
        case payload([UInt8])
        /// As the gateway counts.
        case tooLarge(bytes: Int)
        /// The message has no such parameter, and the text says nothing instead.
        case missing(parameter: String)

        /// nil: there are none.
        package var bytes: [UInt8]? { if case .payload(let bytes) = self { bytes } else { nil } }
    }

    package func rendered(
        identity: OpaqueID, integerID: Int64, token: [UInt8] = [], secondsToLive: Int64 = 0,
        parameters: [UInt8] = []
    ) -> Rendered {
        var bytes = [UInt8](repeating: 0, count: roomNeeded(tokenBytes: token.count))
        // Unsafe only because `render` is: the buffers are the arrays' own.
        let rendering = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe token.withUnsafeBytes { token in
                unsafe parameters.withUnsafeBytes { parameters in
                    unsafe render(
                        into: buffer, identity: identity, integerID: integerID, token: token,
                        secondsToLive: secondsToLive, parameters: parameters)
                }
            }
        }
        switch rendering {
        case .bytes(let size): return .payload(Array(bytes.prefix(size)))
        case .tooLarge(let size): return .tooLarge(bytes: size)
        case .missing(let index): return .missing(parameter: parameterName(index))
        }
    }
}
