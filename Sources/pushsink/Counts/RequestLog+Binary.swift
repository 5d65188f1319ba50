/// The log of the binary gateway: one line per notification that it has looked at. `stream` is the number
/// that the notification has within its connection, `status` that of the error packet (0: none was sent);
/// what a shutdown names is accepted.
extension RequestLog {
    package static let binaryColumns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "api", "command", "identifier",
        "token",
        "expiration", "priority", "body",
    ]

    func write(
        _ frame: BinaryFrame, _ device: Bytes?, _ ending: Ending, _ status: BinaryStatus?, number: Int,
        connection: Int
    ) {
        begin(stream: number, ending, connection: connection)
        self.number(Int(status?.code ?? 0))
        column(text: status?.text ?? "-")
        column(text: "binary")
        self.number(Int(frame.command))
        column(frame.identifier.map(Int.init))
        column(device)
        column(frame.expiration.map(Int.init))
        column(frame.priority.map(Int.init))
        finish(body: frame.payload ?? Bytes(start: nil, count: 0))
    }

    private func column(_ number: Int?) {
        if let number { self.number(number) } else { column(nil as Bytes?) }
    }
}
