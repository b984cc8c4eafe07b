/** Settings of Kafka Connect and of its sinks, as their public documents name them. */

/** Of every sink: the framework's own, and those of its converters and consumer. */
export const sinkKeys: readonly string[] = [
  ...['connector.class', 'tasks.max', 'topics'],
  ...['key.converter', 'value.converter', 'value.converter.schema.registry.url'],
  'value.converter.value.subject.name.strategy',
  ...['consumer.override.auto.offset.reset', 'consumer.override.isolation.level'],
  ...['errors.tolerance', 'errors.log.enable', 'errors.log.include.messages'],
  ...['errors.retry.timeout', 'errors.deadletterqueue.topic.name'],
  'errors.deadletterqueue.topic.replication.factor',
  'errors.deadletterqueue.context.headers.enable'
]

/** By the class of the connector: what else it knows, and what it cannot do without. */
export const connectorKeys: Readonly<
  Record<string, { readonly known: readonly string[]; readonly required: readonly string[] }>
> = {
  // Configuration Reference for Amazon S3 Sink Connector for Confluent Platform.
  'io.confluent.connect.s3.S3SinkConnector': {
    known: [
      ...['storage.class', 's3.region', 's3.bucket.name', 's3.part.size', 'topics.dir'],
      ...['format.class', 'parquet.codec', 'partitioner.class', 'path.format', 'locale'],
      ...['partition.duration.ms', 'timezone', 'timestamp.extractor', 'timestamp.field'],
      ...['flush.size', 'rotate.interval.ms', 'rotate.schedule.interval.ms'],
      'schema.compatibility'
    ],
    required: ['storage.class', 's3.bucket.name', 'format.class', 'flush.size']
  },
  // Apache Iceberg, "Kafka Connect".
  'org.apache.iceberg.connect.IcebergSinkConnector': {
    known: [
      ...['iceberg.tables', 'iceberg.tables.auto-create-enabled'],
      ...['iceberg.tables.evolve-schema-enabled', 'iceberg.tables.default-partition-by'],
      ...['iceberg.tables.default-id-columns', 'iceberg.tables.schema-force-optional'],
      ...['iceberg.control.topic', 'iceberg.control.commit.interval-ms'],
      ...['iceberg.catalog.type', 'iceberg.catalog.uri', 'iceberg.catalog.warehouse'],
      ...['iceberg.catalog.credential', 'iceberg.catalog.io-impl']
    ],
    required: ['iceberg.tables', 'iceberg.catalog.type', 'iceberg.catalog.uri']
  },
  // ClickHouse, "ClickHouse Kafka Connect Sink".
  'com.clickhouse.kafka.connect.ClickHouseSinkConnector': {
    known: [
      ...['hostname', 'port', 'ssl', 'database', 'username', 'password', 'exactlyOnce'],
      ...['topic2TableMap', 'clickhouseSettings', 'jdbcConnectionProperties'],
      ...['tableRefreshInterval', 'ignorePartitionsWhenBatching', 'keeperOnCluster']
    ],
    required: ['hostname', 'password']
  },
  // Kafka Connect BigQuery Connector, "Configuration".
  'com.wepay.kafka.connect.bigquery.BigQuerySinkConnector': {
    known: [
      ...['project', 'defaultDataset', 'keySource', 'keyfile', 'topic2TableMap'],
      ...['autoCreateTables', 'allowNewBigQueryFields', 'timestampPartitionFieldName'],
      ...['allowBigQueryRequiredFieldRelaxation', 'clusteringPartitionFieldNames'],
      ...['bigQueryPartitionDecorator', 'bigQueryRetry', 'bigQueryRetryWait'],
      ...['useStorageWriteApi', 'sanitizeTopics']
    ],
    required: ['project', 'defaultDataset']
  }
}
