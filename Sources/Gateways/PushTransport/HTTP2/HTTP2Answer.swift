/// The gateway's answer to one request. The raw buffers hold until the delegate's method returns.
package struct HTTP2Answer {
    /// What the request was submitted with.
    package let tag: UInt64
    package let status: Int
    /// At most ``HTTP2Configuration/maximumKeptBody`` bytes of it.
    package let body: UnsafeRawBufferPointer
    package let headers: ResponseFields
    /// False when the status arrived but the connection or the stream broke before the end: the status holds,
    /// the body may lack its end.
    package let isComplete: Bool
    /// From the request's submission to here.
    package let nanoseconds: Int64
}
