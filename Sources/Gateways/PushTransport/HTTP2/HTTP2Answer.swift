/// The gateway's answer to one request. The raw buffers are valid until the delegate's method returns.
package struct HTTP2Answer {
    /// The tag with which the request was submitted.
    package let tag: UInt64
    package let status: Int
    /// The first bytes of the body, up to ``HTTP2Configuration/maximumKeptBody``.
    package let body: UnsafeRawBufferPointer
    package let headers: ResponseFields
    /// `false` if the connection or the stream broke after the status but before the end: the status is
    /// valid, and the end of the body may be missing.
    package let isComplete: Bool
    /// The time from the request's submission to the end of the answer.
    package let nanoseconds: Int64
}
