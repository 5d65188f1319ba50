internal import NIOCore

/// What a single connection may cost: watches requests begin and end, and whether the client reads its
/// answers, for the ``ConnectionTable``, which has the connection while it is open.
package final class ConnectionLimits {
    private let table: ConnectionTable
    private var connection: OpenConnection?
    private var requests = PipelinedRequests()

    package init(_ table: ConnectionTable) { self.table = table }

    func opened(_ channel: any Channel) {
        guard connection == nil else { return }
        let connection = OpenConnection(channel)
        connection.become(.forRequest(table.requestLimit))
        self.connection = connection
        if !table.add(connection) { connection.close() }
    }

    func closed() { if let connection { table.remove(connection) } }

    func headCame() { note(requests.headCame()) }
    func endCame() { note(requests.endCame()) }
    func wasAnswered() { note(requests.wasAnswered()) }
    func became(isRead: Bool) { note(requests.became(isRead: isRead)) }

    /// - Parameter wait: nil: nothing changes.
    private func note(_ wait: PipelinedRequests.Wait?) {
        switch wait {
        case .forRequest: connection?.become(.forRequest(table.requestLimit))
        case .forNextRequest: connection?.become(.forNextRequest(table.keepAlive))
        case .forReader: connection?.become(.forReader)
        case .forService: connection?.become(.forService)
        case nil: break
        }
        connection?.became(pipelining: requests.areSeveral)
    }
}
