package import PushWire

/// What a child needs to know of the receiver beside its host, port and secret.
package struct CustomSettings: ConnectorSettings {
    package var url = ""
    package var batchMessages = 100
    package var parallelRequests = 4
    package var requestTimeoutSeconds = 30

    package init() {}

    package static let fields = Fields(
        Self(),
        [
            Field("url", \.url, .anyText),
            Field("batchMessages", \.batchMessages, .count),
            Field("parallelRequests", \.parallelRequests, .count),
            Field("requestTimeoutSeconds", \.requestTimeoutSeconds, .count),
        ])
}
