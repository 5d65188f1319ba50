package import PushWire

/// The settings of the receiver that a child needs in addition to its host, port and secret.
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
