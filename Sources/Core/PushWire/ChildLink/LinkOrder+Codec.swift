import PushModel

extension LinkOrder {
    package func encode(into writer: inout ByteWriter) {
        let start: Int
        switch self {
        case .welcome(let order):
            start = writer.beginFrame(.welcome)
            writer.append(order.version)
            writer.append(order.generation)
            writer.append(order.capacity)
            writer.append(order.maximumAgeSeconds)
            writer.append(order.idleSeconds)
            writer.append(order.lease != nil)
            writer.append(order.lease?.nanoseconds ?? 0)
        case .account(let order):
            start = writer.beginFrame(.account)
            writer.append(order.account)
            writer.append(order.connector.rawValue)
            writer.append(order.environment.rawValue)
            writer.append(order.credential.bytes)
            order.gateway.encode(into: &writer)
        case .job(let order):
            start = writer.beginFrame(.job)
            order.encodeBody(into: &writer)
        case .drain:
            start = writer.beginFrame(.drain)
        case .retireJob(let job):
            start = writer.beginFrame(.retireJob)
            writer.append(job)
        case .recall(let account):
            start = writer.beginFrame(.recall)
            writer.append(account)
        case .resume(let account):
            start = writer.beginFrame(.resume)
            writer.append(account)
        case .withdraw(let delivery):
            start = writer.beginFrame(.withdraw)
            writer.append(delivery.rawValue)
        case .retireAccount(let account):
            start = writer.beginFrame(.retireAccount)
            writer.append(account)
        case .pollFeedback(let account):
            start = writer.beginFrame(.pollFeedback)
            writer.append(account)
        case .clockJumped(let graceSeconds):
            start = writer.beginFrame(.clockJumped)
            writer.append(graceSeconds)
        case .lease(let moment):
            start = writer.beginFrame(.lease)
            writer.append(moment.nanoseconds)
        }
        writer.endFrame(start)
    }

    /// Decodes the order in a frame. Grants are not among these orders: see ``GrantFrame``.
    package init(_ frame: LinkFrame) throws(LinkError) {
        var reader = ByteReader(frame)
        switch frame.kind {
        case .welcome:
            let version = try reader.integer(UInt8.self)
            guard version == ChildLink.version else { throw .versionMismatch(theirs: version) }
            var order = WelcomeOrder(
                generation: try reader.integer(), capacity: try reader.integer(),
                maximumAgeSeconds: try reader.integer(), idleSeconds: try reader.integer())
            let hasLease = try reader.boolean()
            let lease = MonotonicTime(nanoseconds: try reader.integer())
            if hasLease { order.lease = lease }
            self = .welcome(order)
        case .account:
            self = .account(try AccountOrder(&reader))
        case .job:
            self = .job(try JobOrder(&reader))
        case .drain:
            self = .drain
        case .retireJob:
            self = .retireJob(try reader.identifier())
        case .recall:
            self = .recall(account: try reader.identifier())
        case .resume:
            self = .resume(account: try reader.identifier())
        case .withdraw:
            self = .withdraw(DeliveryID(rawValue: try reader.integer()))
        case .retireAccount:
            self = .retireAccount(try reader.identifier())
        case .pollFeedback:
            self = .pollFeedback(account: try reader.identifier())
        case .clockJumped:
            self = .clockJumped(graceSeconds: try reader.integer())
        case .lease:
            self = .lease(until: MonotonicTime(nanoseconds: try reader.integer()))
        case .grant, .hello, .outcomes, .heartbeat, .accountNews, .renamed, .feedback, .feedbackEnded,
            .withdrawn:
            throw .badValue(frame.kind)
        }
    }
}

extension AccountOrder {
    fileprivate init(_ reader: inout ByteReader) throws(LinkError) {
        let account: AccountID = try reader.identifier()
        let connector = ConnectorName(rawValue: try reader.text())
        guard let environment = PushEnvironment(rawValue: try reader.text()) else {
            throw .badValue(.account)
        }
        let credential = OpaqueCredential(bytes: try reader.byteString())
        self.init(
            account: account, connector: connector, environment: environment, credential: credential,
            gateway: try GatewayOrder(&reader))
    }
}

extension GatewayOrder {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(address)
        writer.append(port)
        writer.append(trustedCertificates)
        writer.append(settings)
        writer.append(secret.bytes)
        writer.append(proxy != nil)
        guard let proxy else { return }
        writer.append(proxy.host)
        writer.append(proxy.port)
        writer.append(proxy.user)
        writer.append(proxy.password)
    }

    fileprivate init(_ reader: inout ByteReader) throws(LinkError) {
        self.init()
        address = try reader.text()
        port = try reader.integer()
        trustedCertificates = try reader.text()
        settings = try reader.byteString()
        secret = OpaqueCredential(bytes: try reader.byteString())
        guard try reader.boolean() else { return }
        proxy = ProxyOrder(
            host: try reader.text(), port: try reader.integer(), user: try reader.text(),
            password: try reader.text())
    }
}

extension JobOrder {
    fileprivate func encodeBody(into writer: inout ByteWriter) {
        writer.append(job)
        writer.append(account)
        writer.append(delivery.rawValue)
        writer.append(priority.rawValue)
        writer.append(platform.rawValue)
        writer.append(bundleID)
        writer.append(messageIDFormat.rawValue)
        writer.append(tracking)
        writer.append(expiresAt.secondsSince1970)
        writer.append(isNowOrNever)
        writer.append(UInt32(variables.count))
        for variable in variables {
            writer.append(variable.name)
            writer.append(variable.defaultValue != nil)
            writer.append(variable.defaultValue ?? "")
            writer.append(variable.isOptional)
        }
        writer.append(contentJSON)
    }

    fileprivate init(_ reader: inout ByteReader) throws(LinkError) {
        let job: JobID = try reader.identifier()
        let account: AccountID = try reader.identifier()
        let delivery = DeliveryID(rawValue: try reader.integer())
        guard let priority = DeliveryPriority(rawValue: try reader.text()) else { throw .badValue(.job) }
        guard let platform = Platform(rawValue: try reader.text()) else { throw .badValue(.job) }
        let bundleID = try reader.text()
        guard let format = MessageIDFormat(rawValue: try reader.text()) else { throw .badValue(.job) }
        let tracking = try reader.boolean()
        let expiresAt = WallTime(secondsSince1970: try reader.integer())
        let isNowOrNever = try reader.boolean()
        var variables: [AppVariable] = []
        for _ in 0..<(try reader.integer(UInt32.self)) {
            let name = try reader.text()
            let hasDefault = try reader.boolean()
            let value = try reader.text()
            let isOptional = try reader.boolean()
            variables.append(
                AppVariable(name: name, defaultValue: hasDefault ? value : nil, isOptional: isOptional))
        }
        self.init(
            job: job, account: account, delivery: delivery, priority: priority, platform: platform,
            bundleID: bundleID, messageIDFormat: format, tracking: tracking, expiresAt: expiresAt,
            isNowOrNever: isNowOrNever, variables: variables, contentJSON: try reader.byteString())
    }
}
