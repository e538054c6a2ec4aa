import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("job")
log.debug("no"); log.info("%d of %d", 1, 2)
try: 1 / 0
except ZeroDivisionError: log.error("failed: %s", sys.exc_info()[1])
