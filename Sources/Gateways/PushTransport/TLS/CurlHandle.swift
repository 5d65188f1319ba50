internal import CPushShims
internal import PushModel

/// One libcurl easy handle and the data with the same lifetime: its error text and its lists. A handle is not
/// necessarily connected.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var connections: UnsafeMutableRawPointer?

    init() throws(TransportError) {
        try CurlLibrary.require()
        guard let easy = curl_easy_init() else {
            throw TransportError(.outOfMemory(what: "a libcurl handle"))
        }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try set(CURLOPT_ERRORBUFFER, pointer: errorText)
    }

    deinit {
        curl_easy_cleanup(easy)
        if let connections { curl_share_cleanup(connections) }
        errorText.deallocate()
        for list in lists { curl_slist_free_all(list) }
    }

    // MARK: Options

    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check("option", push_curl_set_long(easy, option, value))
    }
    func set(_ option: CURLoption, _ text: String?) throws(TransportError) {
        try check("option", push_curl_set_string(easy, option, text))
    }
    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(TransportError) {
        try check("option", push_curl_set_pointer(easy, option, pointer))
    }
    func set(_ option: CURLoption, blob: [UInt8]) throws(TransportError) {
        try check(
            "option", blob.withUnsafeBytes { push_curl_set_blob(easy, option, $0.baseAddress!, $0.count) })
    }
    /// libcurl does not copy a list, so the list is kept for as long as the handle exists.
    func set(_ option: CURLoption, list: [String]) throws(TransportError) {
        var head: UnsafeMutablePointer<curl_slist>?
        for line in list {
            guard let longer = curl_slist_append(head, line) else {
                curl_slist_free_all(head)
                throw TransportError(.outOfMemory(what: "a libcurl list"))
            }
            head = longer
        }
        if let head { lists.append(head) }
        try set(option, pointer: head)
    }

    /// Gives the handle its own connection pool. Each send and receive of a connect-only handle searches the
    /// pool sequentially for its connection, and the pool of a loop may contain hundreds of connections.
    func keepConnectionApart() throws(TransportError) {
        guard let pool = curl_share_init() else {
            throw TransportError(.outOfMemory(what: "a connection pool"))
        }
        connections = pool
        guard push_curl_share_data(pool, CURL_LOCK_DATA_CONNECT) == CURLSHE_OK else {
            throw TransportError(.curl(what: "curl_share_setopt", text: "connections cannot be shared"))
        }
        try set(CURLOPT_SHARE, pointer: pool)
    }

    func check(_ what: String, _ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else {
            throw TransportError(.curl(what: what, text: String(cString: curl_easy_strerror(code))))
        }
    }
    func check(_ what: String, _ code: CURLMcode) throws(TransportError) {
        guard code == CURLM_OK else {
            throw TransportError(.curl(what: what, text: String(cString: curl_multi_strerror(code))))
        }
    }

    // MARK: Answers

    var activeSocket: Int32? {
        var socket: curl_socket_t = -1
        guard push_curl_get_socket(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK, socket >= 0 else {
            return nil
        }
        return socket
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        push_curl_get_long(easy, info, &value)
        return value
    }

    /// Returns libcurl's message about the failure, or its general text for the code. The message may contain
    /// text from the peer, such as names of certificates or answers of a proxy.
    func text(_ code: CURLcode) -> String {
        guard errorText.pointee != 0 else { return String(cString: curl_easy_strerror(code)) }
        let words = UnsafeRawBufferPointer(start: errorText, count: Int(CURL_ERROR_SIZE))
        return String(printable: words.prefix { $0 != 0 })
    }
}
