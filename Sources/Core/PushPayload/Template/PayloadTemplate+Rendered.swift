package import PushModel

/// Payloads as separate bytes, for previews, proofs and small numbers of requests.
extension PayloadTemplate {
    /// The result of rendering one payload.
    package enum Rendered: Equatable, Sendable {
        case payload([UInt8])
        /// The size as the gateway counts it.
        case tooLarge(bytes: Int)
        /// The message lacks this parameter, and the text has no fallback.
        case missing(parameter: String)

        /// The payload; `nil` if there is none.
        package var bytes: [UInt8]? { if case .payload(let bytes) = self { bytes } else { nil } }
    }

    package func rendered(
        identity: OpaqueID, integerID: Int64, token: [UInt8] = [], secondsToLive: Int64 = 0,
        parameters: [UInt8] = []
    ) -> Rendered {
        var bytes = [UInt8](repeating: 0, count: roomNeeded(tokenBytes: token.count))
        // Unsafe only because `render` is unsafe. The buffers belong to the arrays.
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
